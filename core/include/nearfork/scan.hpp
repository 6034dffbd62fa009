/// \file
/// Parallel prefix sums: std::inclusive_scan and std::exclusive_scan by all workers.
///
/// Common to all overloads:
/// - the operation is taken to be associative and need not be commutative; it is called from
/// several
///   workers at a time;
/// - results are fixed by the elements, the length and loop_options::grain (core/loops/README.md),
///   never by workers or timing: the same bits every time, also for floating-point sums;
/// - d_first may equal first; other overlaps are not allowed;
/// - about 2n calls of the operation, 4 kB of memory a worker; the schedule is not regarded;
/// - iterators without random access, and std::vector<bool> as output: serial;
/// - they return d_first + n; they throw the operation's first exception, or cancelled when stopped
///   before the end: the output is then partly written.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <nearfork/detail/loops_scan.hpp>
#include <nearfork/loop_options.hpp>
#include <optional>
#include <type_traits>
#include <utility>

namespace nearfork {
namespace detail {

/// Tells options from operations and values, which may stand in the same place.
template <class X>
concept not_options = !std::same_as<std::remove_cvref_t<X>, loop_options>;

}  // namespace detail

/// *(d_first + i) = x0 op x1 op ... op xi. Values are those of the input.
template <std::input_iterator In, std::weakly_incrementable Out, detail::not_options Op>
Out inclusive_scan(In first, In last, Out d_first, Op op, const loop_options& options = {}) {
  using value = std::iter_value_t<In>;
  return detail::scan<value, true>(first, last, d_first, std::optional<value>(), std::move(op),
                                   options);
}
template <std::input_iterator In, std::weakly_incrementable Out>
Out inclusive_scan(In first, In last, Out d_first, const loop_options& options = {}) {
  return nearfork::inclusive_scan(first, last, d_first, std::plus<>{}, options);
}
/// *(d_first + i) = init op x0 op x1 op ... op xi. Values are of init's type.
template <std::input_iterator In, std::weakly_incrementable Out, detail::not_options Op,
          detail::not_options T>
Out inclusive_scan(In first, In last, Out d_first, Op op, T init,
                   const loop_options& options = {}) {
  return detail::scan<T, true>(first, last, d_first, std::optional<T>(std::move(init)),
                               std::move(op), options);
}

/// *(d_first + i) = init op x0 op ... op x(i-1). Values are of init's type.
template <std::input_iterator In, std::weakly_incrementable Out, class T, detail::not_options Op>
Out exclusive_scan(In first, In last, Out d_first, T init, Op op,
                   const loop_options& options = {}) {
  return detail::scan<T, false>(first, last, d_first, std::optional<T>(std::move(init)),
                                std::move(op), options);
}
template <std::input_iterator In, std::weakly_incrementable Out, class T>
Out exclusive_scan(In first, In last, Out d_first, T init, const loop_options& options = {}) {
  return nearfork::exclusive_scan(first, last, d_first, std::move(init), std::plus<>{}, options);
}

}  // namespace nearfork
