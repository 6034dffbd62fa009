/// \file
/// Requirement: the SHA-1 that the trees are made of is SHA-1.
#include "uts/sha1.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

std::vector<std::uint8_t> bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string hex(const uts::digest& d) {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}{:08x}", d[0], d[1], d[2], d[3], d[4]);
}

std::string sha1_of(std::string_view text) { return hex(uts::sha1(bytes_of(text))); }

TEST(sha1, gives_the_digests_of_the_standards_examples) {
  EXPECT_EQ(sha1_of("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(sha1_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmno"
                    "pqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "a49b2446a02c645bf419f995b67091253a04a259");
  EXPECT_EQ(sha1_of(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(sha1_of(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

TEST(sha1, is_right_for_every_length_around_the_block_limits) {
  // The digest of the digests of 0 to 200 letters, as another implementation gives it.
  std::vector<std::uint8_t> all;
  for (std::size_t length = 0; length <= 200; ++length) {
    for (const std::uint32_t word : uts::sha1(bytes_of(std::string(length, 'a')))) {
      for (const int shift : {24, 16, 8, 0}) {
        all.push_back(static_cast<std::uint8_t>(word >> shift));
      }
    }
  }
  EXPECT_EQ(hex(uts::sha1(all)), "f6f332e8f89c35ee3df74d34ef8fda777d9647b9");
}

/// The fast form for N words against the plain form for their bytes.
template <std::size_t N>
void compare_words() {
  std::array<std::uint8_t, 4 * N> bytes{};
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  std::array<std::uint32_t, N> words{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    words[i / 4] |= static_cast<std::uint32_t>(bytes[i]) << (8 * (3 - i % 4));
  }
  EXPECT_EQ(hex(uts::sha1_words(words)), hex(uts::sha1(bytes))) << N << " words";
}

TEST(sha1, of_whole_words_is_the_same_as_of_their_bytes) {
  []<std::size_t... N>(std::index_sequence<N...>) {
    (compare_words<N + 1>(), ...);
  }(std::make_index_sequence<13>{});
}

TEST(sha1, of_whole_words_can_be_computed_by_the_compiler) {
  constexpr uts::digest d = uts::sha1_words<1>({0x61626364});  // "abcd"
  EXPECT_EQ(hex(d), sha1_of("abcd"));
  static_assert(d[0] == 0x81fe8bfe);
}

}  // namespace
