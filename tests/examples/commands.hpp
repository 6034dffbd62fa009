/// \file
/// Runs the programs of this build.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_command.hpp"

namespace examples_test {

using nearfork::support::command_options;
using nearfork::support::command_result;

/// Runs a program of the build folder.
inline command_result run(const std::string& program, std::vector<std::string> arguments,
                          const command_options& options = {}) {
  arguments.insert(arguments.begin(), std::string(NEARFORK_TEST_BIN) + "/" + program);
  return nearfork::support::run_command(arguments, options);
}

/// Runs it with --json added. \returns the document; a failure when that is not all of stdout.
inline nlohmann::json run_json(const std::string& program, std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const command_result result = run(program, std::move(arguments));
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  nlohmann::json document = nlohmann::json::parse(result.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << to_string(result);
  return document;
}

/// Expects that the command line is refused: exit 2, nothing on stdout, and each of \p mentioned in
/// the message.
inline void expect_refused(const std::string& program, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& mentioned) {
  const command_result result = run(program, arguments);
  EXPECT_EQ(result.exit_code, 2) << to_string(result);
  EXPECT_EQ(result.out, "") << to_string(result);
  EXPECT_TRUE(result.err.starts_with(program + ": ")) << to_string(result);
  for (const std::string& part : mentioned) {
    EXPECT_NE(result.err.find(part), std::string::npos) << "not mentioned: " << part << '\n'
                                                        << to_string(result);
  }
}

}  // namespace examples_test
