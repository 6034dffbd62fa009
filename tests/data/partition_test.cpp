// How indices are shared out over nodes.
#include <gtest/gtest.h>

#include <nearfork/detail/partition.hpp>
#include <stdexcept>

namespace {

using nearfork::detail::make_partition;
using nearfork::detail::part;

void expect_covers(const std::vector<part>& parts, std::size_t n) {
  std::size_t next = 0;
  for (const part& p : parts) {
    EXPECT_EQ(p.first, next);
    EXPECT_LT(p.first, p.last);
    next = p.last;
  }
  EXPECT_EQ(next, n);
}

TEST(partition, covers_every_index_once_for_all_small_sizes_and_distributions) {
  for (std::size_t nodes = 1; nodes <= 5; ++nodes) {
    for (std::size_t n = 0; n <= 300; ++n) {
      for (const auto how : {nearfork::block, nearfork::interleaved, nearfork::on(nodes - 1)}) {
        expect_covers(make_partition(n, nodes, how, 0, 0), n);
        for (const std::size_t element : {1UL, 3UL, 8UL, 24UL, 200UL}) {
          expect_covers(make_partition(n, nodes, how, element, 256), n);
        }
      }
    }
  }
}

TEST(partition, blocks_are_one_a_node_in_node_order_and_of_nearly_equal_size) {
  const auto parts = make_partition(1'000'000, 4, nearfork::block, 8, 4096);
  ASSERT_EQ(parts.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(parts[i].node, i);
    EXPECT_NEAR(static_cast<double>(parts[i].last - parts[i].first), 250'000.0, 1024.0);
  }
}

TEST(partition, cuts_memory_where_pages_begin) {
  for (const std::size_t element : {8UL, 24UL, 1000UL}) {
    for (const auto how : {nearfork::block, nearfork::interleaved}) {
      const auto parts = make_partition(3'000'000, 3, how, element, 4096);
      for (std::size_t i = 1; i < parts.size(); ++i) {
        // The first element of a part is the first that begins in some page.
        EXPECT_LT(parts[i].first * element % 4096, element);
      }
    }
  }
}

TEST(partition, interleaving_goes_round_the_nodes) {
  const auto parts = make_partition(10'000'000, 3, nearfork::interleaved, 8, 4096);
  ASSERT_GT(parts.size(), 30U);
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i].node, i % 3);
}

TEST(partition, interleaving_of_a_huge_array_keeps_the_number_of_mappings_small) {
  const auto parts = make_partition(std::size_t{1} << 40, 2, nearfork::interleaved, 8, 4096);
  EXPECT_LE(parts.size(), 1100U);
  EXPECT_EQ(parts.back().last, std::size_t{1} << 40);
}

TEST(partition, refuses_a_node_that_is_not_there) {
  EXPECT_THROW(make_partition(10, 2, nearfork::on(2), 8, 4096), std::out_of_range);
  EXPECT_EQ(make_partition(10, 2, nearfork::on(1), 8, 4096).front().node, 1U);
}

}  // namespace
