#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <nearfork/detail/affinity.hpp>

namespace nearfork::detail {
namespace {

struct mask_deleter {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using mask_ptr = std::unique_ptr<cpu_set_t, mask_deleter>;

constexpr std::size_t first_size = 1024;
constexpr std::size_t largest_size = std::size_t{1} << 20;

}  // namespace

std::optional<std::vector<std::size_t>> thread_affinity() {
  // The kernel answers EINVAL while the mask is smaller than its own.
  for (std::size_t count = first_size; count <= largest_size; count *= 2) {
    const mask_ptr mask(CPU_ALLOC(count));
    if (!mask) return std::nullopt;
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    CPU_ZERO_S(bytes, mask.get());
    if (sched_getaffinity(0, bytes, mask.get()) != 0) {
      if (errno == EINVAL) continue;
      return std::nullopt;
    }
    std::vector<std::size_t> cpus;
    for (std::size_t cpu = 0; cpu < bytes * 8; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, mask.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return std::nullopt;
}

int set_thread_affinity(std::span<const std::size_t> cpus, int thread) noexcept {
  if (cpus.empty()) return EINVAL;
  const std::size_t highest = *std::max_element(cpus.begin(), cpus.end());
  if (highest >= largest_size) return EINVAL;
  const mask_ptr mask(CPU_ALLOC(highest + 1));
  if (!mask) return ENOMEM;
  const std::size_t bytes = CPU_ALLOC_SIZE(highest + 1);
  CPU_ZERO_S(bytes, mask.get());
  for (const std::size_t cpu : cpus) CPU_SET_S(cpu, bytes, mask.get());
  return sched_setaffinity(thread, bytes, mask.get()) == 0 ? 0 : errno;
}

}  // namespace nearfork::detail
