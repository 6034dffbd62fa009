// Mergesort by divide and conquer, its merges divided too, so that no long serial stretch is left.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <nearfork/nearfork.hpp>
#include <random>
#include <span>
#include <vector>

namespace {

using values = std::span<std::uint32_t>;

// Pieces below this are handled without forks: some 50 us of work, against nanoseconds a fork.
constexpr std::size_t cutoff = 4096;

// Merges the sorted a and b into out.
void merge_into(values a, values b, values out) {
  if (a.size() + b.size() <= cutoff) {
    std::merge(a.begin(), a.end(), b.begin(), b.end(), out.begin());
    return;
  }
  // Halve the longer one, and cut the other where its half's value belongs.
  std::size_t in_a = a.size() / 2, in_b = b.size() / 2;
  if (a.size() >= b.size()) {
    in_b = static_cast<std::size_t>(std::ranges::lower_bound(b, a[in_a]) - b.begin());
  } else {
    in_a = static_cast<std::size_t>(std::ranges::upper_bound(a, b[in_b]) - a.begin());
  }
  nearfork::join([=] { merge_into(a.first(in_a), b.first(in_b), out.first(in_a + in_b)); },
                 [=] { merge_into(a.subspan(in_a), b.subspan(in_b), out.subspan(in_a + in_b)); });
}

// Sorts data; the result lands in data, or in spare (of the same size) when into_spare is set.
void merge_sort(values data, values spare, bool into_spare) {
  if (data.size() <= cutoff) {
    std::ranges::sort(data);
    if (into_spare) {
      std::ranges::copy(data, spare.begin());
    }
    return;
  }
  const std::size_t half = data.size() / 2;
  nearfork::join([=] { merge_sort(data.first(half), spare.first(half), !into_spare); },
                 [=] { merge_sort(data.subspan(half), spare.subspan(half), !into_spare); });
  const values from = into_spare ? data : spare, to = into_spare ? spare : data;
  merge_into(from.first(half), from.subspan(half), to);
}

}  // namespace

int main() {
  std::vector<std::uint32_t> data(2'000'000), spare(data.size());
  std::mt19937 random(1);
  std::ranges::generate(data, [&] { return static_cast<std::uint32_t>(random() % 1'000'000); });
  std::vector<std::uint32_t> expected = data;
  std::ranges::sort(expected);

  nearfork::pool pool;
  pool.run([&] { merge_sort(data, spare, false); });

  const bool correct = data == expected;
  std::printf("%zu values sorted by %zu workers: %s\n", data.size(), pool.worker_count(),
              correct ? "correct" : "WRONG");
  return correct ? 0 : 1;
}
