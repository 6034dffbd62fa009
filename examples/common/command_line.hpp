/// \file
/// What the example commands have in common on their command lines: numbers that are checked,
/// clear errors, and the exit codes 0 (success), 1 (a check failed) and 2 (bad usage or input).
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace common {

inline constexpr int exit_success = 0;
inline constexpr int exit_check_failed = 1;
inline constexpr int exit_bad_input = 2;

/// More workers than this are a slip of the pen.
inline constexpr std::uint64_t most_workers = 4096;

namespace detail {

/// A validator that takes what std::from_chars reads as a T, whole, from \p low to \p high.
template <class T>
CLI::Validator number(T low, T high, std::string_view what) {
  std::string accepted = fmt::format("{} from {} to {}", what, low, high);
  return CLI::Validator(
      [low, high, accepted](std::string& text) -> std::string {
        T value{};
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc{} && stop == end && value >= low && value <= high) {
          text = fmt::format("{}", value);  // CLI11 would take a leading zero for octal
          return {};
        }
        return fmt::format("'{}' is not {}", text, accepted);
      },
      {}, {});
}

}  // namespace detail

/// Accepts a whole number in the given range, both ends included, written in decimal.
inline CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return detail::number<std::uint64_t>(low, high, "a whole number");
}

/// Accepts a number in the given range, both ends included.
inline CLI::Validator real_number(double low, double high) {
  return detail::number<double>(low, high, "a number");
}

/// Parses the command line and runs \p body, which returns the exit code. Errors go to stderr.
template <class Body>
int run_command(CLI::App& app, int argc, char** argv, Body&& body) {
  const auto complain = [&](std::string_view message, std::string_view hint) {
    fmt::print(stderr, "{}: {}\n{}", app.get_name(), message, hint);
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      return app.exit(e);  // --help, --version
    }
    complain(e.what(), fmt::format("Run '{} --help' for the options.\n", app.get_name()));
    return exit_bad_input;
  }
  try {
    const int code = body();
    if (std::fflush(stdout) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
    }
    return code;
  } catch (const std::invalid_argument& e) {  // also nearfork::config_error
    complain(e.what(), "");
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    complain("out of memory", "");
    return exit_check_failed;
  } catch (const std::exception& e) {
    complain(e.what(), "");
    return exit_check_failed;
  }
}

}  // namespace common
