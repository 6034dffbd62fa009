/// \file
/// SHA-1 (FIPS 180-4) as Unbalanced Tree Search needs it: whole messages of a few 32-bit words,
/// many million times, without memory traffic. Not for security.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace uts {

/// A SHA-1 digest as five words: word 0 holds digest bytes 0 to 3, most significant byte first.
using digest = std::array<std::uint32_t, 5>;

/// The sixteen words of one message block, read the same way.
using sha1_block = std::array<std::uint32_t, 16>;

inline constexpr digest sha1_start{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};

namespace detail {

/// Step number T. The callers rotate the roles of the five variables instead of their values.
template <std::size_t T>
[[gnu::always_inline]] constexpr void sha1_step(std::uint32_t a, std::uint32_t& b, std::uint32_t c,
                                                std::uint32_t d, std::uint32_t& e, sha1_block& w) {
  if constexpr (T >= 16) {
    w[T % 16] = std::rotl(w[(T + 13) % 16] ^ w[(T + 8) % 16] ^ w[(T + 2) % 16] ^ w[T % 16], 1);
  }
  std::uint32_t mix = 0;
  if constexpr (T < 20) {
    mix = (d ^ (b & (c ^ d))) + 0x5A827999U;
  } else if constexpr (T < 40) {
    mix = (b ^ c ^ d) + 0x6ED9EBA1U;
  } else if constexpr (T < 60) {
    mix = ((b & c) + (d & (b ^ c))) + 0x8F1BBCDCU;
  } else {
    mix = (b ^ c ^ d) + 0xCA62C1D6U;
  }
  e += std::rotl(a, 5) + mix + w[T % 16];
  b = std::rotl(b, 30);
}

template <std::size_t... Group>
[[gnu::always_inline]] constexpr void sha1_steps(std::uint32_t& a, std::uint32_t& b,
                                                 std::uint32_t& c, std::uint32_t& d,
                                                 std::uint32_t& e, sha1_block& w,
                                                 std::index_sequence<Group...>) {
  ((sha1_step<5 * Group>(a, b, c, d, e, w), sha1_step<5 * Group + 1>(e, a, b, c, d, w),
    sha1_step<5 * Group + 2>(d, e, a, b, c, w), sha1_step<5 * Group + 3>(c, d, e, a, b, w),
    sha1_step<5 * Group + 4>(b, c, d, e, a, w)),
   ...);
}

}  // namespace detail

/// The digest's state after one more block. 80 steps, unrolled.
[[gnu::always_inline]] constexpr digest sha1_compress(const digest& h, sha1_block w) {
  std::uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
  detail::sha1_steps(a, b, c, d, e, w, std::make_index_sequence<16>{});
  return {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

/// SHA-1 of a message of N words: one block, padding included.
template <std::size_t N>
  requires(N <= 13)
[[gnu::always_inline]] constexpr digest sha1_words(const std::array<std::uint32_t, N>& message) {
  sha1_block w{};
  for (std::size_t i = 0; i < N; ++i) {
    w[i] = message[i];
  }
  w[N] = 0x80000000U;
  w[15] = 32 * N;
  return sha1_compress(sha1_start, w);
}

/// SHA-1 of any bytes, the plain way: what the fast form above is checked against.
inline digest sha1(std::span<const std::uint8_t> message) {
  digest h = sha1_start;
  sha1_block w{};
  const auto put = [&](std::size_t at, std::uint8_t byte) {
    w[at % 64 / 4] |= static_cast<std::uint32_t>(byte) << (8 * (3 - at % 4));
  };
  const auto finish_block = [&] {
    h = sha1_compress(h, w);
    w = {};
  };
  std::size_t at = 0;
  for (const std::uint8_t byte : message) {
    put(at++, byte);
    if (at % 64 == 0) {
      finish_block();
    }
  }
  put(at, 0x80);
  if (at % 64 >= 56) {
    finish_block();
  }
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(message.size());
  w[14] = static_cast<std::uint32_t>(bits >> 32);
  w[15] = static_cast<std::uint32_t>(bits);
  finish_block();
  return h;
}

}  // namespace uts
