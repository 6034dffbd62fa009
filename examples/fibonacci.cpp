// Naive Fibonacci numbers: nothing but forks, so it shows what a fork costs, and both forms of
// join.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nearfork/nearfork.hpp>

namespace {

std::uint64_t serial(unsigned n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

// The plain form: works from anywhere.
std::uint64_t plain(unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = nearfork::join([=] { return plain(n - 1); }, [=] { return plain(n - 2); });
  return a + b;
}

// The form that passes the worker's context along, which saves looking it up at each join. Real
// programs need it only where tasks are as small as here; a cutoff below which the recursion goes
// on without forks (see mergesort.cpp) serves better still.
std::uint64_t with_context(nearfork::context& worker, unsigned n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = nearfork::join(
      worker, [=](nearfork::context& w) { return with_context(w, n - 1); },
      [=](nearfork::context& w) { return with_context(w, n - 2); });
  return a + b;
}

template <class F>
std::uint64_t timed(const char* name, F&& f) {
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t result = f();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%-22s %12llu  %8.4f s\n", name, static_cast<unsigned long long>(result),
              seconds.count());
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 30;
  if (argc > 2 || wanted < 1 || wanted > 50) {
    std::fprintf(stderr, "usage: %s [N], N from 1 to 50\n", argv[0]);
    return 2;
  }
  const auto n = static_cast<unsigned>(wanted);

  nearfork::pool pool;
  std::printf("fibonacci(%u), %zu workers\n", n, pool.worker_count());
  const std::uint64_t expected = timed("serial", [&] { return serial(n); });
  const std::uint64_t a = timed("join(f, g)", [&] { return pool.run([&] { return plain(n); }); });
  const std::uint64_t b = timed("join(context, f, g)", [&] {
    return pool.run([&](nearfork::context& worker) { return with_context(worker, n); });
  });
  return a == expected && b == expected ? 0 : 1;
}
