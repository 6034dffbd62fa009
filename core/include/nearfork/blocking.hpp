/// \file
/// Tasks that block outside of the pool's sight.
#pragma once

#include <functional>
#include <utility>

namespace nearfork {
namespace detail {

struct worker;

/// While it lives, another thread works in the calling worker's place.
class blocking_region {
 public:
  blocking_region() noexcept;
  ~blocking_region();
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;

 private:
  worker* worker_;
  worker* stand_in_;
};

}  // namespace detail

/// Runs \p f, which may block (input and output, a lock, another library's wait): meanwhile a
/// stand-in thread, bound to the same core and reporting the same worker index, keeps that core
/// busy with the pool's other tasks. The first stand-ins cost a thread's creation each, later
/// calls some ten microseconds. f must not use worker_local objects: the stand-in's tasks do.
/// Outside of any pool it just calls f. Where no thread can be had, f runs without a stand-in.
/// \returns what f returns. \throws what f throws
template <class F>
decltype(auto) blocking(F&& f) {
  const detail::blocking_region region;
  return std::invoke(std::forward<F>(f));
}

}  // namespace nearfork
