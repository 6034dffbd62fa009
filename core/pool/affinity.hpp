/// \file
/// Binding workers, and the thread that makes a pool.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace nearfork::detail {

/// Binds the calling thread to PUs (os ids). Where it is refused: one warning, and false.
bool bind_this_thread(const std::vector<std::size_t>& pus) noexcept;

/// The calling thread's mask while a pool lives, and its way back.
class caller_binding {
 public:
  caller_binding() noexcept = default;
  /// Remembers the calling thread's mask and binds it.
  void bind(const std::vector<std::size_t>& pus);
  /// Gives that thread its mask back, if it still exists. May be called by any thread.
  void restore() noexcept;

 private:
  pid_t thread_ = 0;
  std::vector<std::size_t> before_;
};

}  // namespace nearfork::detail
