// Matrix multiplication by divide and conquer: every matrix is halved along its longest side until
// the blocks fit into a core's cache, whatever the size of that cache.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <nearfork/nearfork.hpp>
#include <vector>

namespace {

// A block of a row-major matrix.
template <class T>
struct block {
  T* data;
  std::size_t stride, rows, columns;

  T* row(std::size_t i) const { return data + i * stride; }
  block top(std::size_t n) const { return {data, stride, n, columns}; }
  block bottom(std::size_t n) const { return {row(rows - n), stride, n, columns}; }
  block left(std::size_t n) const { return {data, stride, rows, n}; }
  block right(std::size_t n) const { return {data + (columns - n), stride, rows, n}; }
};
using target = block<double>;
using source = block<const double>;

constexpr std::size_t base = 48;  // three blocks of 48 x 48 doubles are 54 KiB

// c += a b, element by element in the order in which memory lies.
void multiply_add_base(target c, source a, source b) {
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) {
      const double factor = a.row(i)[k];
      const double* const from = b.row(k);
      double* const to = c.row(i);
      for (std::size_t j = 0; j < c.columns; ++j) {
        to[j] += factor * from[j];
      }
    }
  }
}

// c += a b
void multiply_add(target c, source a, source b) {
  const std::size_t rows = c.rows, columns = c.columns, depth = a.columns;
  if (rows <= base && columns <= base && depth <= base) {
    multiply_add_base(c, a, b);
  } else if (rows >= columns && rows >= depth) {
    const std::size_t n = rows / 2;
    nearfork::join([=] { multiply_add(c.top(n), a.top(n), b); },
                   [=] { multiply_add(c.bottom(rows - n), a.bottom(rows - n), b); });
  } else if (columns >= depth) {
    const std::size_t n = columns / 2;
    nearfork::join([=] { multiply_add(c.left(n), a, b.left(n)); },
                   [=] { multiply_add(c.right(columns - n), a, b.right(columns - n)); });
  } else {
    // Both halves add to the same elements of c: one after the other.
    const std::size_t n = depth / 2;
    multiply_add(c, a.left(n), b.top(n));
    multiply_add(c, a.right(depth - n), b.bottom(depth - n));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 500;
  if (argc > 2 || wanted < 1 || wanted > 10000) {
    std::fprintf(stderr, "usage: %s [N], N from 1 to 10000\n", argv[0]);
    return 2;
  }
  // Not square, and of odd sizes: all the cuts are exercised.
  const auto m = static_cast<std::size_t>(wanted), n = m + m / 3 + 1, k = m + m / 5 + 1;
  std::vector<double> a(m * k), b(k * n), c(m * n, 0.0), expected(m * n, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<double>(i));
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = std::cos(static_cast<double>(i));
  }

  multiply_add_base({expected.data(), n, m, n}, {a.data(), k, m, k}, {b.data(), n, k, n});
  nearfork::pool pool;
  const auto start = std::chrono::steady_clock::now();
  pool.run([&] { multiply_add({c.data(), n, m, n}, {a.data(), k, m, k}, {b.data(), n, k, n}); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  // Each element is summed over k in the same order both ways; but one compiler may fuse the
  // multiplication and the addition in one place and not in the other.
  double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    worst = std::max(worst, std::abs(c[i] - expected[i]));
  }
  const bool correct = worst <= 1e-15 * static_cast<double>(k) * 4;
  std::printf("%zu x %zu x %zu, %zu workers: %.3f s, %.2f GFLOP/s, largest difference %g: %s\n", m,
              n, k, pool.worker_count(), seconds.count(),
              2e-9 * static_cast<double>(m * n * k) / seconds.count(), worst,
              correct ? "correct" : "WRONG");
  return correct ? 0 : 1;
}
