/// \file
/// Keeping a worker's waits from taking strangers' tasks.
#pragma once

#include <cstdint>
#include <nearfork/context.hpp>
#include <nearfork/join.hpp>
#include <nearfork/pool.hpp>
#include <type_traits>
#include <utility>

namespace nearfork {
namespace detail {

/// While it lives, waits of this worker take only tasks pushed after its making.
class isolation {
 public:
  explicit isolation(context& c) noexcept;
  ~isolation();
  isolation(const isolation&) = delete;
  isolation& operator=(const isolation&) = delete;

 private:
  context& context_;
  std::int64_t outer_;
};

}  // namespace detail

/// Runs \p f, which may take a nearfork::context&. While it runs, this worker's waits (joins,
/// groups) take only tasks created inside f: so a lock held or thread-local scratch in use around a
/// wait is safe from unrelated tasks. Other workers may steal and run f's tasks as usual.
///
/// Do not wait inside f for tasks created outside of it: with one worker nobody else runs them.
/// Outside of any pool it just calls f.
/// \returns what f returns. \throws what f throws
template <class F>
decltype(auto) isolate(F&& f) {
  context* const c = detail::context_access::current();
  if constexpr (std::is_invocable_v<F&>) {
    if (c == nullptr) return std::forward<F>(f)();
    const detail::isolation inside(*c);
    return std::forward<F>(f)();
  } else {
    if (c == nullptr) return detail::run_in_default_pool([&f](context&) { return isolate(f); });
    const detail::isolation inside(*c);
    return detail::call(f, *c);
  }
}

}  // namespace nearfork
