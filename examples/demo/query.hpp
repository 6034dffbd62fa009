/// \file
/// A filtered aggregation over a table in columns:
///
///     SELECT region, COUNT(*), SUM(price * (100 - discount)) FROM sales
///     WHERE day BETWEEN 365 AND 729 AND quantity < 24 GROUP BY region
///
/// All amounts are whole numbers (cents, per cent), so that the sums are exact in any order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/fork.hpp"
#include "common/mix.hpp"

namespace demo {

inline constexpr std::size_t regions = 16;
inline constexpr std::size_t days = 7 * 365;
inline constexpr std::size_t query_grain = std::size_t{1} << 16;  ///< rows a piece, about 0.1 ms

/// The table's columns, not yet filled: the pages come when they are first written.
struct sales {
  static constexpr std::size_t bytes_a_row = 4 + 2 + 1 + 1 + 1;

  explicit sales(std::size_t n)
      : rows(n),
        price(std::make_unique_for_overwrite<std::uint32_t[]>(n)),
        day(std::make_unique_for_overwrite<std::uint16_t[]>(n)),
        quantity(std::make_unique_for_overwrite<std::uint8_t[]>(n)),
        discount(std::make_unique_for_overwrite<std::uint8_t[]>(n)),
        region(std::make_unique_for_overwrite<std::uint8_t[]>(n)) {}

  std::size_t rows;
  std::unique_ptr<std::uint32_t[]> price;  ///< in cents
  std::unique_ptr<std::uint16_t[]> day;
  std::unique_ptr<std::uint8_t[]> quantity, discount, region;
};

/// Fills rows \p from to \p to (exclusive) with made-up sales.
inline void fill(sales& s, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    const std::uint64_t bits = common::mix(i);
    s.price[i] = 100 + static_cast<std::uint32_t>(bits & 0xFFFFF);
    s.day[i] = static_cast<std::uint16_t>((bits >> 20 & 0xFFFF) * days >> 16);
    s.quantity[i] = static_cast<std::uint8_t>(1 + ((bits >> 36 & 0xFF) * 50 >> 8));
    s.discount[i] = static_cast<std::uint8_t>((bits >> 44 & 0xFF) * 11 >> 8);
    s.region[i] = static_cast<std::uint8_t>(bits >> 52 & (regions - 1));
  }
}

/// The answer: a row a region.
struct answer {
  struct group {
    std::uint64_t sales = 0;
    std::uint64_t revenue = 0;  ///< in hundredths of a cent
    friend bool operator==(const group&, const group&) = default;
  };
  std::array<group, regions> by_region{};

  std::uint64_t selected() const {
    std::uint64_t n = 0;
    for (const group& g : by_region) {
      n += g.sales;
    }
    return n;
  }
  friend answer operator+(answer a, const answer& b) {
    for (std::size_t r = 0; r < regions; ++r) {
      a.by_region[r].sales += b.by_region[r].sales;
      a.by_region[r].revenue += b.by_region[r].revenue;
    }
    return a;
  }
  friend bool operator==(const answer&, const answer&) = default;
};

/// The answer for some of the rows.
inline answer scan(const sales& s, std::size_t from, std::size_t to) {
  answer a;
  for (std::size_t i = from; i < to; ++i) {
    if (s.day[i] >= 365 && s.day[i] < 730 && s.quantity[i] < 24) {
      answer::group& g = a.by_region[s.region[i]];
      ++g.sales;
      g.revenue += std::uint64_t{s.price[i]} * (100U - s.discount[i]);
    }
  }
  return a;
}

/// The answer for the whole table.
template <class Fork>
answer query(const sales& s, Fork fork) {
  return common::divide(
      0, s.rows, query_grain, fork,
      [&](std::size_t from, std::size_t to) { return scan(s, from, to); },
      [](const answer& a, const answer& b) { return a + b; });
}

}  // namespace demo
