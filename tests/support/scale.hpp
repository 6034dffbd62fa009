/// \file
/// How much work a test does: full counts in a release build, fewer under a sanitizer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace nearfork::support {

/// NEARFORK_TEST_SCALE as a number, 1 when it is not set.
/// \throws std::invalid_argument when it is set to something that is not a positive number.
inline double test_scale() {
  const char* text = std::getenv("NEARFORK_TEST_SCALE");
  if (text == nullptr || *text == '\0') return 1.0;
  char* end = nullptr;
  const double scale = std::strtod(text, &end);
  if (*end != '\0' || !(scale > 0.0) || scale > 1e6) {
    throw std::invalid_argument(std::string("NEARFORK_TEST_SCALE is '") + text +
                                "'; accepted: a number above 0, up to 1000000");
  }
  return scale;
}

/// \p n times NEARFORK_TEST_SCALE, and at least 1 (0 stays 0).
inline std::size_t scaled(std::size_t n) {
  if (n == 0) return 0;
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(n) * test_scale()));
}

}  // namespace nearfork::support
