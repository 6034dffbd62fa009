#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <nearfork/detail/size_classes.hpp>

namespace {

using namespace nearfork::detail;

TEST(size_classes, every_size_gets_the_smallest_class_that_holds_it) {
  for (std::size_t bytes = 0; bytes <= largest_pooled; ++bytes) {
    const unsigned c = size_class(bytes);
    ASSERT_LT(c, size_classes) << bytes;
    ASSERT_GE(class_bytes(c), bytes);
    ASSERT_TRUE(c == 0 || class_bytes(c - 1) < bytes) << bytes;
  }
}

TEST(size_classes, grow_by_at_most_a_quarter_beyond_the_smallest) {
  for (unsigned c = 8; c < size_classes; ++c)
    EXPECT_LE(class_bytes(c), class_bytes(c - 1) + class_bytes(c - 1) / 4) << c;
}

TEST(size_classes, honour_every_alignment_at_every_size) {
  for (std::size_t alignment = 1; alignment <= largest_pooled; alignment *= 2) {
    for (std::size_t bytes = 0; bytes <= largest_pooled; bytes += bytes < 4096 ? 1 : 509) {
      const unsigned c = size_class(bytes, alignment);
      ASSERT_LT(c, size_classes) << bytes << " aligned to " << alignment;
      ASSERT_GE(class_bytes(c), bytes);
      ASSERT_GE(class_alignment(c), alignment);
      ASSERT_GE(class_alignment(c), min_alignment);
      ASSERT_EQ(class_bytes(c) % class_alignment(c), 0U);
      ASSERT_TRUE(std::has_single_bit(class_alignment(c)));
    }
  }
}

TEST(size_classes, alignment_does_not_waste_more_than_it_must) {
  EXPECT_EQ(class_bytes(size_class(64, 64)), 64U);
  EXPECT_EQ(class_bytes(size_class(65, 64)), 128U);
  EXPECT_EQ(class_bytes(size_class(300, 64)), 320U);
  EXPECT_EQ(class_bytes(size_class(1, 4096)), 4096U);
}

TEST(size_classes, requests_beyond_the_largest_get_pages) {
  EXPECT_FALSE(needs_pages(0, 1));
  EXPECT_FALSE(needs_pages(largest_pooled, largest_pooled));
  EXPECT_TRUE(needs_pages(largest_pooled + 1, 1));
  EXPECT_TRUE(needs_pages(1, 2 * largest_pooled));
}

}  // namespace
