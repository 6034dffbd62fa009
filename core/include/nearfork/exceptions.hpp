/// \file
/// Exceptions of the engine.
#pragma once

#include <stdexcept>

namespace nearfork {

/// A pool made before fork() was used in the child, where its threads do not exist.
class fork_error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// An operation that has to give a value was stopped before it had one.
class cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nearfork
