#include <array>
#include <list>
#include <map>
#include <nearfork/detail/node_map.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/node_resource.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "here.hpp"

namespace {

using nearfork::node_resource;

TEST(node_resource, serves_every_kind_of_container) {
  std::pmr::vector<int> numbers(&node_resource(0));
  std::pmr::map<int, std::pmr::string> names(&node_resource(0));
  std::pmr::unordered_map<std::pmr::string, int> back(&node_resource(0));
  std::pmr::list<double> list(&node_resource(0));
  for (int i = 0; i < 20'000; ++i) {
    numbers.push_back(i);
    if (i % 10 != 0) continue;
    std::pmr::string name("a name that is too long for the string itself: ", &node_resource(0));
    name += std::to_string(i);
    names.emplace(i, name);
    back.emplace(name, i);
    list.push_front(i);
  }
  EXPECT_EQ(names.get_allocator().resource(), &node_resource(0));
  EXPECT_EQ(names.at(70).get_allocator().resource(), &node_resource(0)) << "passed on to elements";
  for (const auto& [i, name] : names) ASSERT_EQ(back.at(name), i);
  EXPECT_EQ(numbers.size(), 20'000U);
  EXPECT_EQ(numbers[12'345], 12'345);
  EXPECT_EQ(list.size(), 2000U);
}

TEST(node_resource, its_memory_is_on_the_node_also_when_freed_and_taken_again) {
  NEARFORK_SKIP_UNLESS_BINDING();
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t n : {100UL, 10'000UL, 1'000'000UL}) {
      std::pmr::vector<char> data(n, 'x', &node_resource(0));
      const auto report =
          nearfork::detail::verify_pages(data.data(), data.size(), node_resource(0).os_id());
      EXPECT_GT(report.on_node, 0U);
      EXPECT_EQ(report.on_node, report.pages);
    }
  }
}

TEST(node_resource, honours_alignment) {
  struct alignas(4096) page {
    char c;
  };
  std::pmr::vector<page> pages(3, node_resource(0));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.data()) % 4096, 0U);
}

TEST(node_resource, can_be_handed_over_in_every_way) {
  const std::pmr::vector<int> as_it_is(node_resource(0));
  const std::pmr::vector<int> by_address(&node_resource(0));
  const std::pmr::vector<int> with_values({1, 2, 3}, node_resource(0));
  const std::pmr::string text("text", node_resource(0));
  std::pmr::memory_resource* pointer = node_resource(0);
  std::pmr::memory_resource& reference = node_resource(0);
  EXPECT_EQ(pointer, &reference);
  EXPECT_EQ(as_it_is.get_allocator(), by_address.get_allocator());
  EXPECT_EQ(with_values.get_allocator().resource(), pointer);
  EXPECT_EQ(text.get_allocator().resource(), pointer);
  std::pmr::monotonic_buffer_resource on_top(node_resource(0));
  EXPECT_NE(on_top.allocate(10), nullptr);
}

TEST(node_resource, is_equal_to_itself_and_to_nothing_else) {
  EXPECT_TRUE(node_resource(0) == node_resource(0));
  EXPECT_FALSE(node_resource(0) == *std::pmr::new_delete_resource());
  auto& other = nearfork::detail::node_pool::of(nearfork::detail::any_node).resource();
  EXPECT_FALSE(node_resource(0) == other);
}

TEST(node_resource, of_a_node_that_is_not_there_is_refused_by_name) {
  try {
    (void)node_resource(4711);
    FAIL() << "node 4711 was accepted";
  } catch (const std::out_of_range& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("4711"), std::string::npos) << what;
    EXPECT_NE(what.find("accepted are 0 to "), std::string::npos) << what;
  }
  EXPECT_THROW((void)node_resource(nearfork::npos), std::out_of_range);
}

TEST(node_resource, is_the_one_of_the_calling_threads_pool) {
  static constexpr std::array<std::size_t, 2> ids{nearfork::npos, nearfork::npos};
  static thread_local bool worker = false;
  nearfork::detail::set_node_resolver([]() noexcept -> std::span<const std::size_t> {
    return worker ? std::span<const std::size_t>(ids) : std::span<const std::size_t>();
  });
  std::thread([] {
    worker = true;
    EXPECT_EQ(node_resource(1).os_id(), nearfork::npos);
    EXPECT_THROW((void)node_resource(2), std::out_of_range);
  }).join();
  EXPECT_NE(node_resource(0).os_id(), nearfork::npos) << "this thread works for no pool";
  nearfork::detail::set_node_resolver(nullptr);
}

TEST(node_resource, may_be_used_by_many_threads_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      std::pmr::map<int, std::pmr::string> mine(node_resource(0));
      for (int i = 0; i < 2000; ++i) {
        mine[i] = std::string(static_cast<std::size_t>(i % 100), static_cast<char>('a' + t));
        if (i >= 100) mine.erase(i - 100);
      }
      for (const auto& [i, text] : mine)
        ASSERT_EQ(text,
                  std::pmr::string(static_cast<std::size_t>(i % 100), static_cast<char>('a' + t)));
    });
  for (auto& t : threads) t.join();
}

}  // namespace
