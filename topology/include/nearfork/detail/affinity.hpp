/// \file
/// Affinity masks of any size, as lists of CPU ids.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace nearfork::detail {

/// The CPUs the calling thread may run on, ascending. The mask grows until the kernel's fits, so
/// ids beyond 1023 are seen. Empty optional where the kernel gives none.
std::optional<std::vector<std::size_t>> thread_affinity();

/// Binds a thread of this process (its kernel id; 0: the calling one) to these CPUs; the mask is
/// sized by the highest id.
/// \returns 0, or the errno of the kernel's refusal (EINVAL for an empty list).
int set_thread_affinity(std::span<const std::size_t> cpus, int thread = 0) noexcept;

}  // namespace nearfork::detail
