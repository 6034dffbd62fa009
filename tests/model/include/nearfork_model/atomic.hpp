/// @file
/// The names of nearfork/detail/atomic.hpp in the model build: same interface, every operation
/// handed to the explorer together with the place it is written at.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "nearfork_model/hooks.hpp"

namespace nearfork::detail {

inline constexpr std::size_t cache_line = 128;

template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  using order = std::memory_order;
  using where = model::where;

 public:
  atomic() noexcept : atomic(T{}) {}
  explicit atomic(T initial) noexcept { model::construct(this, encode(initial), info); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() { model::destroy(this); }

  T load(order o, where site = where::current()) const noexcept {
    return decode(model::load(this, o, site));
  }
  void store(T desired, order o, where site = where::current()) noexcept {
    model::store(this, encode(desired), o, site);
  }
  T exchange(T desired, order o, where site = where::current()) noexcept {
    return decode(model::modify(this, model::rmw::exchange, encode(desired), o, site));
  }
  bool compare_exchange_strong(T& expected, T desired, order success, order failure,
                               where site = where::current()) noexcept {
    return compare_exchange(expected, desired, success, failure, false, site);
  }
  bool compare_exchange_weak(T& expected, T desired, order success, order failure,
                             where site = where::current()) noexcept {
    return compare_exchange(expected, desired, success, failure, true, site);
  }
  T fetch_add(T operand, order o, where site = where::current()) noexcept
    requires std::integral<T>
  {
    return decode(model::modify(this, model::rmw::add, encode(operand), o, site));
  }
  T fetch_sub(T operand, order o, where site = where::current()) noexcept
    requires std::integral<T>
  {
    return decode(model::modify(this, model::rmw::sub, encode(operand), o, site));
  }
  T fetch_or(T operand, order o, where site = where::current()) noexcept
    requires std::integral<T>
  {
    return decode(model::modify(this, model::rmw::bit_or, encode(operand), o, site));
  }
  T fetch_and(T operand, order o, where site = where::current()) noexcept
    requires std::integral<T>
  {
    return decode(model::modify(this, model::rmw::bit_and, encode(operand), o, site));
  }

  const void* address() const noexcept { return this; }

 private:
  static constexpr model::value_info info{std::is_pointer_v<T>    ? model::value_type::pointer
                                          : std::same_as<T, bool> ? model::value_type::boolean
                                          : std::is_signed_v<T>
                                              ? model::value_type::signed_integer
                                              : model::value_type::unsigned_integer,
                                          static_cast<std::uint8_t>(sizeof(T))};

  static std::uint64_t encode(T value) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof(T));
    return word;
  }
  static T decode(std::uint64_t word) noexcept {
    T value;
    std::memcpy(&value, &word, sizeof(T));
    return value;
  }
  bool compare_exchange(T& expected, T desired, order success, order failure, bool weak,
                        const where& site) noexcept {
    std::uint64_t word = encode(expected);
    const bool done =
        model::compare_exchange(this, word, encode(desired), success, failure, weak, site);
    expected = decode(word);
    return done;
  }

  // The value lives in the explorer; the object is an address and, for the state's hash, constant.
  alignas(8) unsigned char address_only_[8]{};
};

template <class T>
class plain {
  static_assert(std::is_trivially_copyable_v<T>);
  using where = model::where;

 public:
  plain() noexcept : value_{} { model::plain_construct(this); }
  explicit plain(T initial) noexcept : value_(initial) { model::plain_construct(this); }
  plain(const plain&) = delete;
  plain& operator=(const plain&) = delete;
  ~plain() { model::plain_destroy(this); }
  T get(where site = where::current()) const noexcept {
    model::plain_read(this, model::digest(&value_, sizeof(T)), site);
    return value_;
  }
  void set(T value, where site = where::current()) noexcept {
    model::plain_write(this, model::digest(&value, sizeof(T)), site);
    value_ = value;
  }

 private:
  alignas(8) T value_;
};

inline void fence_seq_cst(model::where site = model::where::current()) noexcept {
  model::fence(std::memory_order_seq_cst, site);
}
inline void light_barrier(model::where site = model::where::current()) noexcept {
  model::light(site);
}
inline void heavy_barrier(model::where site = model::where::current()) noexcept {
  model::heavy(site);
}
inline void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected,
                       model::where site = model::where::current()) noexcept {
  model::futex_wait(&word, expected, site);
}
inline void futex_wake(const atomic<std::uint32_t>& word, std::uint32_t count,
                       model::where site = model::where::current()) noexcept {
  model::futex_wake(&word, count, site);
}
inline void spin_pause(model::where site = model::where::current()) noexcept { model::pause(site); }

}  // namespace nearfork::detail
