/// \file
/// Fork-join: two callables that may run at the same time.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <nearfork/context.hpp>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace nearfork {
namespace detail {

/// Calls a callable that takes a context, or nothing.
template <class F>
decltype(auto) call(F& f, context& c) {
  if constexpr (std::is_invocable_v<F&, context&>) {
    return std::invoke(f, c);
  } else {
    return std::invoke(f);
  }
}
template <class F>
using call_result = decltype(call(std::declval<F&>(), std::declval<context&>()));

/// void becomes std::monostate, so that it can be an element of a pair.
template <class R>
using value_or_monostate = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

/// What a result of type R is kept as until somebody takes it: a reference as a pointer, a const
/// object as one that can be moved out of, void as std::monostate.
template <class R>
using stored_result =
    std::conditional_t<std::is_reference_v<R>, std::add_pointer_t<std::remove_reference_t<R>>,
                       std::remove_cv_t<value_or_monostate<R>>>;

/// Calls \p f and puts its result into \p place, which is raw memory.
template <class F>
void call_into(stored_result<call_result<F>>* place, F& f, context& c) {
  using result = call_result<F>;
  using stored = stored_result<result>;
  void* const at = static_cast<void*>(place);
  if constexpr (std::is_void_v<result>) {
    call(f, c);
    ::new (at) stored();
  } else if constexpr (std::is_reference_v<result>) {
    ::new (at) stored(std::addressof(call(f, c)));
  } else {
    ::new (at) stored(call(f, c));
  }
}

/// The second branch of a join: lies on the forking frame. Nothing but the function and the
/// callable's address is written unless somebody takes it.
template <class G>
struct join_task : task {
  using result = call_result<G>;
  using value = value_or_monostate<result>;
  using stored = stored_result<result>;

  explicit join_task(G& g) noexcept : task(&run_taken), callable(std::addressof(g)) {}
  ~join_task() {}  // the union's member is destroyed by whoever takes the outcome
  join_task(const join_task&) = delete;
  join_task& operator=(const join_task&) = delete;

  static void run_taken(task& base, context& c) {
    auto& self = static_cast<join_task&>(base);
    context_access::begin_taken(c, self);
    std::uintptr_t outcome = task_state::done;
    try {
      call_into(std::addressof(self.outcome), *self.callable, c);
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(self.error)))
          std::exception_ptr(std::current_exception());
      outcome = task_state::failed;
    }
    context_access::finish_taken(c, self, outcome);
  }

  /// The outcome of a task that was run elsewhere.
  value take() {
    if (word.load(std::memory_order_relaxed) == task_state::failed) {
      const std::exception_ptr e = std::move(error);
      std::destroy_at(std::addressof(error));
      std::rethrow_exception(e);
    }
    if constexpr (std::is_void_v<result>) {
      return {};
    } else if constexpr (std::is_reference_v<result>) {
      return static_cast<value>(*outcome);
    } else {
      struct destroyer {
        stored* p;
        ~destroyer() { std::destroy_at(p); }
      } destroy{std::addressof(outcome)};
      return std::move(outcome);
    }
  }

  /// Drops the outcome: the first branch has thrown.
  void discard() noexcept {
    if (word.load(std::memory_order_relaxed) == task_state::failed) {
      std::destroy_at(std::addressof(error));
    } else if constexpr (!std::is_void_v<result>) {
      std::destroy_at(std::addressof(outcome));
    }
  }

  G* callable;
  union {
    stored outcome;
    std::exception_ptr error;
  };
};

/// Finishes the second branch after the first has thrown.
template <class G>
void finish_after_throw(context& c, join_task<G>& t) noexcept {
  if (context_access::unfork(c, t) || context_access::join_slow(c, t)) {
    join_task<G>::run_taken(t, c);
  }
  t.discard();
}

template <class F, class G>
[[gnu::always_inline]] inline auto join_here(context& c, F& f, G& g) {
  using f_result = call_result<F>;
  using g_result = call_result<G>;
  using pair = std::pair<value_or_monostate<f_result>, value_or_monostate<g_result>>;

  join_task<G> t(g);
  context_access::fork(c, t);
  auto first = [&]() -> f_result {
    try {
      return call(f, c);
    } catch (...) {
      finish_after_throw(c, t);
      throw;
    }
  };
  auto second = [&]() -> value_or_monostate<g_result> {
    if (context_access::unfork(c, t) || context_access::join_slow(c, t)) {
      if constexpr (std::is_void_v<g_result>) {
        call(g, c);
        return {};
      } else {
        return call(g, c);
      }
    }
    return t.take();
  };
  if constexpr (std::is_void_v<f_result> && std::is_void_v<g_result>) {
    first();
    second();
  } else if constexpr (std::is_void_v<f_result>) {
    first();
    return pair(std::monostate{}, second());
  } else {
    decltype(auto) a = first();
    return pair(std::forward<f_result>(a), second());
  }
}

/// join_here() as the compiler's own judgement wants it: the context form inlines better so.
template <class F, class G>
auto join_in(context& c, F& f, G& g) {
  return join_here(c, f, g);
}

/// Runs a callable that takes a context in the default pool and waits for it. Kept out of the way
/// of the callers' fast path.
template <class F>
[[gnu::noinline, gnu::cold]] auto run_in_default_pool(F&& f);

}  // namespace detail

/// Runs \p f and \p g, perhaps at the same time, and returns when both are finished.
///
/// \p f runs in the calling thread; \p g does so afterwards, unless another worker took it
/// meanwhile. Either may take a nearfork::context& (see there). No memory is allocated.
///
/// \returns std::pair of the results; std::monostate stands for a void one; void if both are.
/// \throws what f or g throws; if both throw, f's exception. Both are finished by then.
/// Called outside of any pool, it runs in default_pool().
template <class F, class G>
[[gnu::always_inline]] inline auto join(F&& f, G&& g) {
  if (context* const c = detail::context_access::current()) [[likely]] {
#if defined(__clang__)
    return detail::join_in(*c, f, g);  // clang's own choice is the shorter code, g++'s is not
#else
    return detail::join_here(*c, f, g);
#endif
  }
  return detail::run_in_default_pool([&](context& c) { return detail::join_in(c, f, g); });
}

/// join() for callers that have a context at hand.
template <class F, class G>
auto join(context& c, F&& f, G&& g) {
  return detail::join_in(c, f, g);
}

namespace detail {

template <std::size_t First, std::size_t Count, class Tuple>
void invoke_range(context& c, Tuple& callables) {
  if constexpr (Count == 1) {
    call(std::get<First>(callables), c);
  } else if constexpr (Count > 1) {
    constexpr std::size_t half = Count / 2;
    auto left = [&](context& inner) { invoke_range<First, half>(inner, callables); };
    auto right = [&](context& inner) {
      invoke_range<First + half, Count - half>(inner, callables);
    };
    join_in(c, left, right);
  }
}

}  // namespace detail

/// Runs all callables, perhaps at the same time, and returns when all are finished. Results are
/// dropped. \throws the exception of the first (in argument order) of those that threw.
template <class... F>
void parallel_invoke(F&&... f) {
  auto callables = std::forward_as_tuple(f...);
  if (context* const c = detail::context_access::current()) {
    detail::invoke_range<0, sizeof...(F)>(*c, callables);
  } else {
    detail::run_in_default_pool(
        [&](context& inner) { detail::invoke_range<0, sizeof...(F)>(inner, callables); });
  }
}

}  // namespace nearfork
