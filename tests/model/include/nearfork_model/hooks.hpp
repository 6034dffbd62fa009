/// @file
/// What the instrumented types call: one function an operation, untyped values of up to 8 bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>

namespace nearfork::model {

/// Where an operation is written: the identity of a call site.
using where = std::source_location;

/// How a value is printed.
enum class value_type : std::uint8_t { unsigned_integer, signed_integer, pointer, boolean };

/// The read-modify-write functions.
enum class rmw : std::uint8_t { exchange, add, sub, bit_or, bit_and };

struct value_info {
  value_type type;
  std::uint8_t bytes;
};

void construct(const void* object, std::uint64_t initial, value_info info) noexcept;
void destroy(const void* object) noexcept;

std::uint64_t load(const void* object, std::memory_order order, const where& site) noexcept;
void store(void* object, std::uint64_t value, std::memory_order order, const where& site) noexcept;
std::uint64_t modify(void* object, rmw function, std::uint64_t operand, std::memory_order order,
                     const where& site) noexcept;
bool compare_exchange(void* object, std::uint64_t& expected, std::uint64_t desired,
                      std::memory_order success, std::memory_order failure, bool weak,
                      const where& site) noexcept;

void fence(std::memory_order order, const where& site) noexcept;
void light(const where& site) noexcept;
void heavy(const where& site) noexcept;
void pause(const where& site) noexcept;
void futex_wait(const void* object, std::uint64_t expected, const where& site) noexcept;
void futex_wake(const void* object, std::uint32_t count, const where& site) noexcept;

/// Accesses to data that is not atomic: checked for races, never a scheduling point.
void plain_construct(const void* object) noexcept;
void plain_destroy(const void* object) noexcept;
void plain_read(const void* object, std::uint64_t digest, const where& site) noexcept;
void plain_write(const void* object, std::uint64_t digest, const where& site) noexcept;

/// A hash of bytes, for plain values of any size.
std::uint64_t digest(const void* bytes, std::size_t size) noexcept;

}  // namespace nearfork::model
