/// \file
/// Requirement: the search by fork-join counts what the serial one counts, whatever the tree, the
/// number of workers and the size of their stacks.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nearfork/nearfork.hpp>
#include <vector>

#include "uts/count_parallel.hpp"
#include "uts/count_serial.hpp"
#include "uts/known_trees.hpp"

namespace {

using uts::parameters;
using uts::tree;
using uts::tree_kind;
using uts::tree_shape;

class uts_count : public ::testing::TestWithParam<std::size_t> {
 protected:
  static nearfork::pool_options options() {
    nearfork::pool_options o = nearfork::pool_options::from_environment();
    o.workers = GetParam();
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(workers, uts_count, ::testing::Values(1, 2, 8));

/// Runs \p f on a thread whose stack has \p bytes.
void on_stack_of(std::size_t bytes, const std::function<void()>& f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread{};
  const auto call = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(
      pthread_create(&thread, &attributes, call, const_cast<void*>(static_cast<const void*>(&f))),
      0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// One path without branches, 82,336 levels deep.
constexpr parameters deepest{.t = tree_kind::binomial, .b = 1, .r = 3, .q = 0.99999, .m = 1};
constexpr uts::counts deepest_expected{82'337, 1, 82'336};

/// Barely finite: every node of its long paths has two children or none.
constexpr parameters bushy_and_deep{
    .t = tree_kind::binomial, .b = 200, .r = 3, .q = 0.4999, .m = 2};
constexpr uts::counts bushy_and_deep_expected{229'121, 114'660, 1'243};

TEST_P(uts_count, small_trees_of_all_kinds_are_counted_like_serially) {
  nearfork::pool pool(options());
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    for (const parameters& p : {
             parameters{.b = 3, .d = 6, .r = seed},
             parameters{.a = tree_shape::cyclic, .b = 3, .d = 2, .r = seed},
             parameters{.a = tree_shape::fixed, .b = 30, .d = 2, .r = seed},
             parameters{.t = tree_kind::binomial, .b = 333, .r = seed, .q = 0.3, .m = 3},
             parameters{.t = tree_kind::binomial, .b = 3, .r = seed, .q = 0.009, .m = 100},
             parameters{.t = tree_kind::hybrid, .b = 3, .d = 6, .r = seed, .q = 0.2, .m = 4},
             parameters{.a = tree_shape::fixed, .b = 4, .d = 3, .r = seed, .g = 100},
         }) {
      const tree t(p);
      EXPECT_EQ(uts::count_parallel(t, pool), uts::count_serial(t))
          << "seed " << seed << ", kind " << static_cast<int>(p.t);
    }
  }
}

TEST_P(uts_count, a_tree_of_one_node_is_counted) {
  nearfork::pool pool(options());
  EXPECT_EQ(uts::count_parallel(tree({.b = 0}), pool), (uts::counts{1, 1, 0}));
}

TEST_P(uts_count, a_path_deeper_than_the_stack_is_counted) {
  nearfork::pool pool(options());
  EXPECT_EQ(uts::count_parallel(tree(deepest), pool), deepest_expected);
}

TEST_P(uts_count, small_stacks_do_for_deep_trees) {
  nearfork::pool_options small = options();
  small.stack_bytes = std::size_t{512} << 10;
  nearfork::pool pool(small);
  const tree t(bushy_and_deep);
  // The calling thread may take a worker's seat, so its stack counts as well.
  on_stack_of(small.stack_bytes, [&] {
    EXPECT_EQ(uts::count_parallel(tree(deepest), pool), deepest_expected);
    EXPECT_EQ(uts::count_parallel(t, pool), bushy_and_deep_expected);
  });
}

TEST(uts_count_serial, counts_paths_deeper_than_the_stack) {
  EXPECT_EQ(uts::count_serial(tree(deepest)), deepest_expected);
  on_stack_of(std::size_t{256} << 10,
              [] { EXPECT_EQ(uts::count_serial(tree(deepest)), deepest_expected); });
}

TEST(uts_count_serial, gives_the_published_sizes) {
  for (const uts::known_tree& known : uts::known_trees) {
    EXPECT_EQ(uts::count_serial(tree(known.made_from)), known.expected) << known.name;
  }
}

TEST(uts_count_serial, on_the_heap_counts_the_same) {
  const tree t({.t = tree_kind::binomial, .b = 500, .r = 3, .q = 0.12, .m = 8});
  uts::counts c;
  const std::uint32_t children = c.enter(t, t.root());
  uts::count_below_on_heap(t, t.root(), children, c);
  EXPECT_EQ(c, (uts::counts{17'493, 15'368, 68}));
}

}  // namespace
