#include <sys/mman.h>

#include <cstring>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/detail/warn.hpp>
#include <numeric>

#include "here.hpp"

namespace {

using namespace nearfork::detail;
using nearfork::alloc_tests::here;

class verification : public testing::Test {
 protected:
  void SetUp() override {
    NEARFORK_SKIP_UNLESS_BINDING();
    block_ = allocate_pages(16 * page_bytes(), here());
  }
  void TearDown() override { free_pages(block_); }
  char* page(std::size_t i) const { return static_cast<char*>(block_.data) + i * page_bytes(); }

  page_block block_;
};

void expect_sums(const placement_report& report) {
  EXPECT_EQ(report.on_node + report.elsewhere + report.untouched + report.unknown, report.pages);
  const auto by_node =
      std::accumulate(report.by_node.begin(), report.by_node.end(), std::size_t{0},
                      [](std::size_t sum, const auto& node) { return sum + node.second; });
  EXPECT_EQ(by_node, report.on_node + report.elsewhere);
}

TEST_F(verification, written_pages_are_seen_on_their_node) {
  std::memset(block_.data, 1, block_.bytes);
  const auto report = verify_pages(block_.data, block_.bytes, here());
  expect_sums(report);
  EXPECT_EQ(report.pages, 16U);
  EXPECT_EQ(report.on_node, 16U);
  EXPECT_TRUE(report.all_on_node());
  ASSERT_EQ(report.by_node.size(), 1U);
  EXPECT_EQ(report.by_node[0].first, here());
}

TEST_F(verification, pages_never_written_are_untouched_not_elsewhere) {
  page(3)[5] = 1;
  page(7)[0] = 1;
  const auto report = verify_pages(block_.data, block_.bytes, here());
  expect_sums(report);
  EXPECT_EQ(report.on_node, 2U);
  EXPECT_EQ(report.untouched, 14U);
  EXPECT_TRUE(report.all_on_node());
}

TEST_F(verification, pages_only_read_are_untouched) {
  // They show the kernel's shared page of zeros, for which move_pages has no node.
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(*static_cast<volatile char*>(page(i)), 0);
  const auto report = verify_pages(block_.data, block_.bytes, here());
  expect_sums(report);
  EXPECT_EQ(report.untouched, 16U);
}

TEST_F(verification, looking_does_not_make_pages_present) {
  (void)verify_pages(block_.data, block_.bytes, here());
  EXPECT_EQ(verify_pages(block_.data, block_.bytes, here()).untouched, 16U);
  EXPECT_EQ(look_at_pages(block_.data, block_.bytes, here()).on_node, 0U);
}

TEST_F(verification, pages_on_another_node_than_expected_are_elsewhere) {
  std::memset(block_.data, 1, block_.bytes);
  const auto report = verify_pages(block_.data, block_.bytes, here() + 1);
  expect_sums(report);
  EXPECT_EQ(report.elsewhere, 16U);
  EXPECT_FALSE(report.all_on_node());
}

TEST_F(verification, every_page_a_range_overlaps_is_counted_once) {
  std::memset(block_.data, 1, block_.bytes);
  const std::size_t size = page_bytes();
  EXPECT_EQ(verify_pages(page(1) + 1, 1, here()).pages, 1U);
  EXPECT_EQ(verify_pages(page(1) + size - 1, 2, here()).pages, 2U);
  EXPECT_EQ(verify_pages(page(1), size, here()).pages, 1U);
  EXPECT_EQ(verify_pages(page(1) + 1, size, here()).pages, 2U);
  EXPECT_EQ(verify_pages(page(1), 0, here()).pages, 0U);
  EXPECT_EQ(verify_pages(nullptr, 0, here()).pages, 0U);
}

TEST_F(verification, ranges_of_more_pages_than_one_query_takes_are_whole) {
  const auto big = allocate_pages(1300 * page_bytes(), here());
  for (std::size_t i = 0; i < 1300; i += 2) static_cast<char*>(big.data)[i * page_bytes()] = 1;
  const auto report = verify_pages(big.data, big.bytes, here());
  expect_sums(report);
  // Where huge pages are on by themselves, neighbours became present too.
  EXPECT_GE(report.on_node, 650U);
  EXPECT_EQ(report.on_node + report.untouched, 1300U);
  free_pages(big);
}

TEST_F(verification, unmapped_memory_is_not_on_the_node) {
  ASSERT_EQ(munmap(page(4), 4 * page_bytes()), 0);
  std::memset(block_.data, 1, 4 * page_bytes());
  std::memset(page(8), 1, 8 * page_bytes());
  const auto report = verify_pages(block_.data, block_.bytes, here());
  expect_sums(report);
  EXPECT_EQ(report.on_node, 12U);
}

}  // namespace
