// The smallest program: two halves of a sum that may run at the same time.
#include <cstdint>
#include <cstdio>
#include <nearfork/nearfork.hpp>
#include <numeric>
#include <vector>

int main() {
  std::vector<std::int64_t> numbers(1'000'000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);

  // The first join makes the default pool: one worker on each core this process may use.
  const auto [low, high] =
      nearfork::join([&] { return std::accumulate(numbers.begin(), middle, std::int64_t{0}); },
                     [&] { return std::accumulate(middle, numbers.end(), std::int64_t{0}); });

  const std::int64_t sum = low + high;
  const std::int64_t expected = 1'000'000LL * 1'000'001LL / 2;
  std::printf("%zu workers, sum %lld\n", nearfork::default_pool().worker_count(),
              static_cast<long long>(sum));
  return sum == expected ? 0 : 1;
}
