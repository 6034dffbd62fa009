/// \file
/// Numbers as people read them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace common {

/// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t n) {
  std::string s = std::to_string(n);
  for (std::size_t i = s.size(); i > 3; i -= 3) {
    s.insert(i - 3, 1, ',');
  }
  return s;
}

/// "512 B", "1.5 KiB", "23.4 GiB".
inline std::string bytes(std::uint64_t n) {
  if (n < 1024) {
    return fmt::format("{} B", n);
  }
  double value = static_cast<double>(n);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (value < 1024) {
      break;
    }
    value /= 1024;
    unit = next;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

/// {0, 1, 2, 5} as "0-2,5". The numbers ascend.
inline std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string s;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    s += fmt::format("{}{}", s.empty() ? "" : ",", numbers[i]);
    if (last > i) {
      s += fmt::format("-{}", numbers[last]);
    }
    i = last + 1;
  }
  return s;
}

}  // namespace common
