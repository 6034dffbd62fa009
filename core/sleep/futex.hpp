/// \file
/// The kernel's wait-on-address, and the asymmetric barrier.
#pragma once

#include <chrono>
#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork::detail {

/// futex_wait() that ends after \p timeout at the latest.
void futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::chrono::nanoseconds timeout) noexcept;

/// Whether heavy_barrier() is there. Registers the process with the kernel at first use.
bool heavy_barrier_available() noexcept;

}  // namespace nearfork::detail
