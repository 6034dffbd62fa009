#include <cstdint>
#include <cstring>
#include <limits>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/warn.hpp>
#include <string>
#include <vector>

#include "here.hpp"

namespace {

using namespace nearfork::detail;
using nearfork::alloc_tests::here;

std::vector<std::string> warned;

class pages : public testing::Test {
 protected:
  void SetUp() override {
    warned.clear();
    forget_warnings();
    set_warning_sink([](std::string_view line) { warned.emplace_back(line); });
  }
  void TearDown() override { set_warning_sink(nullptr); }
};

bool all_zero(const page_block& block) {
  const auto* bytes = static_cast<const unsigned char*>(block.data);
  for (std::size_t i = 0; i < block.bytes; ++i)
    if (bytes[i] != 0) return false;
  return true;
}

TEST_F(pages, are_whole_zeroed_and_writable) {
  for (const std::size_t bytes : {0UL, 1UL, 100UL, 4096UL, 4097UL, 1'000'000UL}) {
    const auto block = allocate_pages(bytes);
    ASSERT_NE(block.data, nullptr);
    EXPECT_GE(block.bytes, bytes);
    EXPECT_GE(block.bytes, 1U);
    EXPECT_EQ(block.bytes % page_bytes(), 0U);
    EXPECT_LT(block.bytes, bytes + page_bytes() + 1);
    EXPECT_TRUE(all_zero(block));
    std::memset(block.data, 0xAB, block.bytes);
    free_pages(block);
  }
}

TEST_F(pages, without_a_node_are_not_bound) {
  const auto block = allocate_pages(1);
  EXPECT_FALSE(block.bound);
  EXPECT_EQ(block.node_os_id, any_node);
  free_pages(block);
}

TEST_F(pages, an_empty_block_can_be_given_back) {
  const auto before = process_pages().totals().unbound;
  free_pages(page_block{});
  EXPECT_EQ(process_pages().totals().unbound, before);
}

TEST_F(pages, are_aligned_as_asked_and_only_as_large) {
  for (std::size_t alignment = 1; alignment <= std::size_t{8} << 20; alignment *= 2) {
    const auto block = allocate_pages(5000, {.node_os_id = here(), .alignment = alignment});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data) % alignment, 0U) << alignment;
    EXPECT_LE(block.bytes, 5000 + page_bytes());
    std::memset(block.data, 1, block.bytes);
    free_pages(block);
  }
}

TEST_F(pages, sizes_that_cannot_be_are_refused) {
  using limit = std::numeric_limits<std::size_t>;
  for (const std::size_t bytes : {limit::max(), limit::max() - 4095, limit::max() / 2}) {
    EXPECT_THROW((void)allocate_pages(bytes), std::bad_alloc);
    EXPECT_THROW((void)allocate_pages(bytes, here()), std::bad_alloc);
    EXPECT_THROW((void)allocate_pages(bytes, {.huge = huge_pages::reserved}), std::bad_alloc);
    EXPECT_THROW((void)allocate_pages(bytes, {.alignment = std::size_t{1} << 21}), std::bad_alloc);
  }
}

TEST_F(pages, on_a_node_are_bound_and_seen_there) {
  NEARFORK_SKIP_UNLESS_BINDING();
  auto block = allocate_pages(100'000, here());
  EXPECT_TRUE(block.bound);
  EXPECT_EQ(block.verified, 0U) << "nobody has looked yet";
  std::memset(block.data, 1, block.bytes);
  look_at(block);
  EXPECT_EQ(block.verified, block.bytes);
  EXPECT_EQ(block.elsewhere, 0U);
  EXPECT_TRUE(warned.empty());
  free_pages(block);
}

TEST_F(pages, touched_on_request_are_present_and_looked_at) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const auto block = allocate_pages(100'000, {.node_os_id = here(), .touch = true});
  EXPECT_EQ(block.verified, block.bytes);
  EXPECT_TRUE(all_zero(block));
  free_pages(block);
}

TEST_F(pages, on_an_absent_node_are_unbound_and_one_warning_says_so) {
  // 5000 needs a mask beyond 1024 bits; 40000 is beyond any mask the kernel takes.
  for (const std::size_t node : {1000UL, 1023UL, 1024UL, 5000UL, 32766UL, 40000UL}) {
    const auto block = allocate_pages(1, node);
    ASSERT_NE(block.data, nullptr);
    EXPECT_FALSE(block.bound) << node;
    std::memset(block.data, 1, block.bytes);
    free_pages(block);
  }
  ASSERT_EQ(warned.size(), 1U);
  EXPECT_EQ(warned[0].rfind("nearfork: warning: ", 0), 0U) << warned[0];
}

TEST_F(pages, strict_on_an_absent_node_are_refused_with_the_reason) {
  const auto before = process_pages().totals();
  for (const std::size_t node : {1000UL, 40000UL}) {
    try {
      free_pages(allocate_pages(1, {.node_os_id = node, .strict = true}));
      FAIL() << "node " << node << " was accepted";
    } catch (const page_error& e) {
      EXPECT_NE(std::string(e.what()).find("bound"), std::string::npos) << e.what();
    }
  }
  EXPECT_TRUE(warned.empty()) << "the exception tells: " << warned[0];
  const auto after = process_pages().totals();
  EXPECT_EQ(after.bound, before.bound);
  EXPECT_EQ(after.unbound, before.unbound);
}

TEST_F(pages, strict_are_on_the_node_when_the_call_returns) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const auto block = allocate_pages(1 << 20, {.node_os_id = here(), .strict = true});
  EXPECT_TRUE(block.bound);
  EXPECT_EQ(block.verified, block.bytes);
  const auto report = verify_pages(block.data, block.bytes, here());
  EXPECT_EQ(report.on_node, report.pages);
  free_pages(block);
}

TEST_F(pages, strict_beyond_the_nodes_memory_are_refused_before_the_kernel_kills) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const std::size_t more_than_any_node = std::size_t{1} << 45;
  EXPECT_THROW((void)allocate_pages(more_than_any_node, {.node_os_id = here(), .strict = true}),
               page_error);
}

TEST_F(pages, huge_pages_fall_back_softly) {
  for (const auto huge : {huge_pages::transparent, huge_pages::reserved}) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5} << 20}) {
      auto block = allocate_pages(bytes, {.node_os_id = here(), .huge = huge});
      ASSERT_NE(block.data, nullptr);
      EXPECT_LE(static_cast<int>(block.huge), static_cast<int>(huge)) << "better than asked for";
      if (bytes == 1) {
        EXPECT_NE(block.huge, huge_pages::transparent) << "one byte needs no huge page";
      }
      std::memset(block.data, 1, block.bytes);
      look_at(block);
      EXPECT_EQ(block.elsewhere, 0U) << "rather small pages here than huge ones elsewhere";
      free_pages(block);
    }
  }
  EXPECT_TRUE(warned.empty() || !nearfork::alloc_tests::can_bind_and_look());
}

TEST_F(pages, strict_huge_pages_are_on_the_node_too) {
  NEARFORK_SKIP_UNLESS_BINDING();
  for (const auto huge : {huge_pages::transparent, huge_pages::reserved}) {
    const auto block =
        allocate_pages(std::size_t{4} << 20, {.node_os_id = here(), .strict = true, .huge = huge});
    EXPECT_EQ(block.verified, block.bytes);
    free_pages(block);
  }
}

TEST_F(pages, are_counted_in_their_account_and_in_the_process_until_given_back) {
  NEARFORK_SKIP_UNLESS_BINDING();
  const auto before = process_pages().totals();
  page_account account(&process_pages());
  const auto bound =
      allocate_pages(3 * page_bytes(), {.node_os_id = here(), .touch = true, .account = &account});
  const auto unbound = allocate_pages(2 * page_bytes(), {.account = &account});
  auto now = account.totals();
  EXPECT_EQ(now.bound, 3 * page_bytes());
  EXPECT_EQ(now.unbound, 2 * page_bytes());
  EXPECT_EQ(now.verified, 3 * page_bytes());
  EXPECT_EQ(now.elsewhere, 0U);
  EXPECT_EQ(process_pages().totals().bound, before.bound + 3 * page_bytes());
  EXPECT_EQ(process_pages().totals().verified, before.verified + 3 * page_bytes());
  free_pages(bound);
  free_pages(unbound);
  now = account.totals();
  EXPECT_EQ(now.bound + now.unbound + now.verified + now.elsewhere, 0U);
  EXPECT_EQ(process_pages().totals().bound, before.bound);
  EXPECT_EQ(process_pages().totals().verified, before.verified);
}

}  // namespace
