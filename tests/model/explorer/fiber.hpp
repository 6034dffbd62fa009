/// @file
/// Stackful coroutines whose stacks lie at fixed addresses, so that a whole program state can be
/// copied away and put back by copying bytes.
#pragma once

#include <cstddef>

namespace nearfork::model {

/// A suspended flow of control: everything else about it is on its stack.
struct fiber_context {
  void* stack_pointer = nullptr;
};

/// Makes `context` start `entry` (which never returns) at the top of the given stack.
void make_fiber(fiber_context& context, std::byte* stack, std::size_t size,
                void (*entry)()) noexcept;

/// Suspends into `from` and goes on with `to`.
void switch_fiber(fiber_context& from, const fiber_context& to) noexcept;

}  // namespace nearfork::model
