// Results and exceptions of branches that another worker has certainly taken.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <nearfork/nearfork.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace {

using nearfork::join;

/// Counts its living objects.
struct counted {
  static inline std::atomic<int> alive{0};
  int value;
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted(const counted&) = delete;
  ~counted() { --alive; }
};

class join_stolen : public ::testing::Test {
 protected:
  static nearfork::pool_options two() {
    nearfork::pool_options o;
    o.workers = 2;
    return o;
  }
  /// A first branch that lasts until the second has begun, which only another worker can do.
  void until_taken() const {
    while (!taken_) std::this_thread::yield();
  }
  nearfork::pool pool_{two()};
  std::atomic<bool> taken_{false};
};

TEST_F(join_stolen, hands_over_a_result_and_destroys_every_copy_of_it) {
  const int sum = pool_.run([&] {
    const auto here = std::this_thread::get_id();
    auto r = join(
        [&] {
          until_taken();
          return counted(1);
        },
        [&] {
          EXPECT_NE(std::this_thread::get_id(), here);
          taken_ = true;
          return counted(2);
        });
    return r.first.value + r.second.value;
  });
  EXPECT_EQ(sum, 3);
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(join_stolen, drops_the_seconds_result_when_the_first_throws) {
  EXPECT_THROW(pool_.run([&] {
    join(
        [&] {
          until_taken();
          throw std::runtime_error("first");
        },
        [&] {
          taken_ = true;
          return counted(2);
        });
  }),
               std::runtime_error);
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(join_stolen, drops_the_seconds_exception_when_the_first_throws) {
  EXPECT_THROW(pool_.run([&] {
    join(
        [&] {
          until_taken();
          throw std::runtime_error("first");
        },
        [&] {
          taken_ = true;
          throw std::logic_error("second");
        });
  }),
               std::runtime_error);
}

TEST_F(join_stolen, carries_the_seconds_exception_and_destroys_the_firsts_result) {
  try {
    pool_.run([&] {
      join(
          [&] {
            until_taken();
            return counted(1);
          },
          [&]() -> int {
            taken_ = true;
            throw std::logic_error("second");
          });
    });
    FAIL();
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "second");
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(join_stolen, passes_a_reference_on) {
  int x = 1;
  pool_.run([&] {
    auto r = join([&] { until_taken(); },
                  [&]() -> int& {
                    taken_ = true;
                    return x;
                  });
    static_assert(std::is_same_v<decltype(r.second), int&>);
    r.second = 9;
  });
  EXPECT_EQ(x, 9);
}

// Needs the patch const-results.patch: today this does not compile.
TEST_F(join_stolen, gives_const_results_too) {
  const auto r = pool_.run([&] {
    return join([]() -> const std::string { return "one"; },
                []() -> const std::string { return "two"; });
  });
  EXPECT_EQ(r.first + r.second, "onetwo");
  EXPECT_EQ(pool_.run([]() -> const std::string { return "root"; }), "root");
}

template <std::size_t... I>
void invoke_all(std::array<std::atomic<int>, sizeof...(I)>& ran, std::index_sequence<I...>) {
  nearfork::parallel_invoke([&ran] { ++ran[I]; }...);
}
template <std::size_t N>
void each_once() {
  std::array<std::atomic<int>, N> ran{};
  invoke_all(ran, std::make_index_sequence<N>());
  for (const auto& r : ran) EXPECT_EQ(r, 1) << N << " callables";
}

TEST(parallel_invoke, runs_one_to_seven_callables_once_each_inside_and_outside) {
  const auto all = [] {
    each_once<1>();
    each_once<2>();
    each_once<3>();
    each_once<4>();
    each_once<5>();
    each_once<6>();
    each_once<7>();
  };
  all();
  nearfork::default_pool().run(all);
}

TEST(parallel_invoke, throws_the_leftmost_exception_after_all_have_run) {
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> ran{0};
    try {
      nearfork::parallel_invoke([&] { ++ran; },
                                [&] {
                                  ++ran;
                                  throw std::runtime_error("second");
                                },
                                [&] { ++ran; },
                                [&] {
                                  ++ran;
                                  throw std::runtime_error("fourth");
                                },
                                [&] { ++ran; });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "second");
    }
    EXPECT_EQ(ran, 5);
  }
}

}  // namespace
