// Prefix sums equal the serial ones.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <nearfork/nearfork.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "scale.hpp"
#include "small_jobs.hpp"

namespace {

using nearfork::support::workers;

/// A 2x2 matrix of wrapping integers: multiplication does not commute.
struct matrix {
  std::uint32_t a = 1, b = 0, c = 0, d = 1;
  friend bool operator==(const matrix&, const matrix&) = default;
};
matrix operator*(const matrix& x, const matrix& y) {
  return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
          x.c * y.b + x.d * y.d};
}
matrix element(std::uint32_t i) { return {i + 1, i * 7 + 3, i ^ 5, i * i}; }

TEST(scan, equals_the_serial_one_for_all_short_lengths_and_non_commutative_operations) {
  const std::size_t longest = nearfork::support::test_scale() < 0.5 ? 120 : 1000;
  for (const std::size_t w : {1UL, 2UL, 3UL, 8UL}) {
    nearfork::pool p(workers(w));
    p.run([&] {
      for (std::size_t n = 0; n <= longest; n += n < 40 ? 1 : 17) {
        const nearfork::loop_options o{.grain = n % 9, .stop = {}};
        std::vector<matrix> in(n);
        for (std::size_t i = 0; i < n; ++i) in[i] = element(static_cast<std::uint32_t>(i));
        std::vector<matrix> expected(n);
        std::vector<matrix> got(n);
        std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::multiplies<>{});
        EXPECT_EQ(
            nearfork::inclusive_scan(in.begin(), in.end(), got.begin(), std::multiplies<>{}, o),
            got.end());
        ASSERT_EQ(got, expected) << n;
        std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::multiplies<>{},
                            element(9));
        nearfork::inclusive_scan(in.begin(), in.end(), got.begin(), std::multiplies<>{}, element(9),
                                 o);
        ASSERT_EQ(got, expected) << n;
        std::exclusive_scan(in.begin(), in.end(), expected.begin(), element(4),
                            std::multiplies<>{});
        nearfork::exclusive_scan(in.begin(), in.end(), got.begin(), element(4), std::multiplies<>{},
                                 o);
        ASSERT_EQ(got, expected) << n;
        // In place.
        got = in;
        nearfork::exclusive_scan(got.begin(), got.end(), got.begin(), element(4),
                                 std::multiplies<>{}, o);
        ASSERT_EQ(got, expected) << n;
      }
    });
  }
}

TEST(scan, of_many_numbers_with_the_usual_plus) {
  std::vector<long> v(300'000, 1);
  nearfork::inclusive_scan(v.begin(), v.end(), v.begin());
  for (std::size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], static_cast<long>(i + 1));
  std::vector<long> e(v.size());
  nearfork::exclusive_scan(v.begin(), v.end(), e.begin(), 10L);
  EXPECT_EQ(e[0], 10);
  EXPECT_EQ(e[3], 16);
}

TEST(scan, of_floating_point_numbers_has_the_same_bits_for_every_worker_count) {
  std::vector<double> in(50'000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0 / static_cast<double>(i * i + 1);
  std::vector<double> expected;
  for (const std::size_t w : {1UL, 2UL, 5UL}) {
    nearfork::pool p(workers(w));
    std::vector<double> out(in.size());
    p.run([&] { nearfork::inclusive_scan(in.begin(), in.end(), out.begin()); });
    if (expected.empty()) expected = out;
    ASSERT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(double)), 0);
  }
}

TEST(scan, takes_values_without_a_default) {
  struct text {
    explicit text(std::string x) : s(std::move(x)) {}
    std::string s;
  };
  std::vector<text> in(500, text("a"));
  std::vector<text> out(500, text(""));
  nearfork::inclusive_scan(in.begin(), in.end(), out.begin(),
                           [](const text& a, const text& b) { return text(a.s + b.s); },
                           {.grain = 7, .stop = {}});
  for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].s.size(), i + 1);
}

TEST(scan, rethrows_and_can_be_stopped) {
  std::vector<int> v(10'000, 1);
  std::atomic<int> calls{0};
  EXPECT_THROW(nearfork::inclusive_scan(v.begin(), v.end(), v.begin(),
                                        [&](int a, int b) {
                                          if (++calls == 3000) throw std::runtime_error("op");
                                          return a + b;
                                        }),
               std::runtime_error);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(nearfork::inclusive_scan(v.begin(), v.end(), v.begin(), std::plus<>{},
                                        {.grain = 0, .stop = stop.get_token()}),
               nearfork::cancelled);
}

}  // namespace
