// What many tests run and on what.
#pragma once

#include <cstddef>
#include <nearfork/nearfork.hpp>

namespace nearfork::support {

/// Options for a pool of \p n workers, the rest as it comes.
inline pool_options workers(std::size_t n) {
  pool_options o;
  o.workers = n;
  return o;
}

/// Fibonacci's number by a join for each call: fib(n + 1) - 1 forks.
inline long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace nearfork::support
