/// \file
/// What deques and injectors carry.
#pragma once

#include <cstdint>
#include <nearfork/detail/atomic.hpp>

namespace nearfork {

class context;

namespace detail {

struct task;

/// Runs a task that was taken from a deque or an injector. Does not throw: exceptions are stored
/// where the task's waiter finds them.
using task_function = void (*)(task&, context&);

/// One unit of work. `word` is the function until somebody runs the task; a join's task keeps its
/// state there afterwards (task_state), other tasks never touch it again.
struct task {
  explicit task(task_function function) noexcept
      : word(reinterpret_cast<std::uintptr_t>(function)) {}
  atomic<std::uintptr_t> word;
};

/// A task that can wait in an injector.
struct injected_task : task {
  using task::task;
  injected_task* next = nullptr;
};

/// The states of a join's task. Values below first_function are no function's address:
///   done, failed                 the result, the exception is there
///   unpushed                     never got into the deque: its owner runs it
///   running(worker) [| waited]   being run elsewhere; waited: its owner sleeps until it is done
namespace task_state {
inline constexpr std::uintptr_t done = 0;
inline constexpr std::uintptr_t failed = 1;
inline constexpr std::uintptr_t unpushed = 2;
inline constexpr std::uintptr_t waited = 1;
inline constexpr std::uintptr_t first_function = std::uintptr_t{1} << 20;

constexpr std::uintptr_t running(std::size_t worker) noexcept { return (worker + 1) << 2 | 2; }
constexpr bool is_running(std::uintptr_t word) noexcept {
  return word > 3 && word < first_function;
}
constexpr bool is_finished(std::uintptr_t word) noexcept { return word <= failed; }
constexpr std::size_t runner(std::uintptr_t word) noexcept { return (word >> 2) - 1; }
}  // namespace task_state

}  // namespace detail
}  // namespace nearfork
