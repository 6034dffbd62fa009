/// \file
/// The block sizes that pools deal in.
#pragma once

#include <array>
#include <bit>
#include <cstddef>

namespace nearfork::detail {

/// Every block is aligned to this at least.
inline constexpr std::size_t min_alignment = 16;
/// Blocks up to here come from small slabs (64 KiB), larger ones from medium slabs (512 KiB).
inline constexpr std::size_t largest_small = 8 * 1024;
/// Requests above this, or aligned to more, get pages of their own.
inline constexpr std::size_t largest_pooled = 128 * 1024;

/// Sizes go up by 16 to 128 bytes, then by four steps a doubling: at most a quarter (beyond 128
/// bytes: a fifth) of a block is unused.
inline constexpr unsigned size_classes = 48;
/// The first class of medium blocks.
inline constexpr unsigned first_medium = 32;

/// The smallest class whose blocks hold \p bytes (0 counts as 1). \pre bytes <= largest_pooled
constexpr unsigned size_class(std::size_t bytes) noexcept {
  const std::size_t n = bytes - (bytes != 0 ? 1 : 0);
  if (n < 128) return static_cast<unsigned>(n / 16);
  const auto width = static_cast<unsigned>(std::bit_width(n));
  return 8 + (width - 8) * 4 + static_cast<unsigned>((n >> (width - 3)) & 3);
}

/// The bytes of a block of class \p c.
constexpr std::size_t class_bytes(unsigned c) noexcept {
  if (c < 8) return (std::size_t{c} + 1) * 16;
  const unsigned step = (c - 8) % 4;
  const unsigned width = 8 + (c - 8) / 4;
  return std::size_t{5 + step} << (width - 3);
}

/// The largest power of two that divides the class's size: what its blocks are aligned to.
constexpr std::size_t class_alignment(unsigned c) noexcept {
  const std::size_t bytes = class_bytes(c);
  return bytes & (~bytes + 1);
}

/// The class for a request, as allocate and deallocate both work it out. Rounding up to the
/// alignment is enough: up to a class's step every class is a multiple of it, and beyond that the
/// multiples left in a doubling (its middle and its end) are classes themselves.
/// \pre bytes <= largest_pooled; alignment is a power of two <= largest_pooled
constexpr unsigned size_class(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= min_alignment) return size_class(bytes);
  const std::size_t wanted = bytes == 0 ? 1 : bytes;
  return size_class((wanted + alignment - 1) & ~(alignment - 1));
}

/// Whether a request gets pages of its own instead of a block.
constexpr bool needs_pages(std::size_t bytes, std::size_t alignment) noexcept {
  return bytes > largest_pooled || alignment > largest_pooled;
}

static_assert(size_class(0) == 0 && size_class(16) == 0 && size_class(17) == 1);
static_assert(size_class(128) == 7 && size_class(129) == 8);
static_assert(class_bytes(first_medium - 1) == largest_small);
static_assert(class_bytes(size_classes - 1) == largest_pooled);

}  // namespace nearfork::detail
