/// \file
/// Errors in what the user asked for.
#pragma once

#include <stdexcept>

namespace nearfork {

/// A configuration that cannot be used: a bad environment value, option, topology file or
/// synthetic string. The message names what was wrong, the value, and what is accepted.
class config_error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace nearfork
