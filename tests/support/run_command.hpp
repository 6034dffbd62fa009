/// \file
/// Runs a program and returns everything it did.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nearfork::support {

/// Four fifths of the watchdog's limit, so longer under sanitizers; 100 s when that is off.
std::chrono::milliseconds default_timeout();

struct command_options {
  /// Variables to set, or with nullopt to remove, beside those inherited.
  std::map<std::string, std::optional<std::string>> environment;
  std::string input;                ///< what the program reads on stdin
  std::filesystem::path directory;  ///< where it runs; empty: here
  /// After this its whole process group is killed. Before the watchdog would end the test itself.
  std::chrono::milliseconds timeout = default_timeout();
};

struct command_result {
  int exit_code = -1;      ///< -1 when a signal ended it
  int signal = 0;          ///< the signal that ended it, or 0
  bool timed_out = false;  ///< it was killed after the time limit
  std::string out;
  std::string err;
};

/// Runs argv[0], searched for in PATH, and waits until it has ended and its outputs are closed.
/// Thread-safe, but not against changes of the environment.
/// \throws std::system_error when it cannot be started; std::invalid_argument when argv is empty.
command_result run_command(const std::vector<std::string>& argv, const command_options& = {});

/// What a failed assertion should print about it.
std::string to_string(const command_result&);

}  // namespace nearfork::support
