/// \file
/// Requirement: set-up installs what is missing and nothing else, needs no privileges when nothing
/// is missing, and says clearly what to do when it cannot install.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "run_command.hpp"
#include "temp_dir.hpp"

namespace {

namespace fs = std::filesystem;
using nearfork::support::command_options;
using nearfork::support::command_result;
using nearfork::support::run_command;
using nearfork::support::temp_dir;
using nearfork::support::to_string;

/// A machine made of scripts: PATH holds these and a few real tools, no others.
class setup : public ::testing::Test {
 protected:
  setup() {
    for (const char* tool : {"bash", "sh", "env", "sed", "grep", "cat"}) {
      for (const char* folder : {"/usr/bin", "/bin"}) {
        if (const fs::path real = fs::path(folder) / tool; fs::exists(real)) {
          fs::create_symlink(real, bin_.path() / tool);
          break;
        }
      }
    }
    program("apt-get", "echo \"$@\" >>\"$LOG\"");
  }

  void program(const std::string& name, const std::string& script) {
    fs::permissions(bin_.write(name, "#!/bin/sh\n" + script + "\n"), fs::perms::owner_all);
  }
  void user(const std::string& id) { program("id", "echo " + id); }
  void installed(const std::vector<std::string>& packages) {
    std::string script;
    for (const std::string& name : packages) script += "echo installed " + name + "\n";
    program("dpkg-query", script + "echo config-files gdb");
  }

  /// Runs the set-up for one kind of work.
  command_result run(const std::string& kind) {
    command_options options;
    options.environment["PATH"] = bin_.path().string();
    options.environment["LOG"] = log().string();
    options.environment["NEARFORK_NO_SETUP"] = std::nullopt;
    options.directory = NEARFORK_TEST_SOURCE;
    return run_command({"bash", "-c", "set -euo pipefail; source scripts/setup.sh; " + kind},
                       options);
  }
  /// The packages that a kind of work wants, each by its first name.
  std::vector<std::string> wanted(const std::string& arrays) {
    const command_result result = run("for p in " + arrays + "; do echo \"${p%%|*}\"; done");
    std::vector<std::string> names;
    std::string name;
    for (const char c : result.out) {
      if (c == '\n') {
        names.push_back(std::exchange(name, {}));
      } else {
        name += c;
      }
    }
    EXPECT_GT(names.size(), 10U) << to_string(result);
    return names;
  }
  std::vector<std::string> all() {
    return wanted("\"${build_packages[@]}\" \"${lint_packages[@]}\" \"${test_packages[@]}\"");
  }

  [[nodiscard]] fs::path log() const { return bin_.path() / "log"; }
  [[nodiscard]] std::string apt_calls() const {
    return fs::exists(log()) ? nearfork::support::read_file(log()) : "";
  }

 private:
  temp_dir bin_;
};

TEST_F(setup, does_nothing_when_nothing_is_missing) {
  installed(all());
  user("1000");
  for (const char* kind : {"setup build", "setup lint", "setup test"}) {
    const command_result result = run(kind);
    EXPECT_EQ(result.exit_code, 0) << to_string(result);
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(apt_calls(), "");
}

TEST_F(setup, installs_only_what_is_missing) {
  std::vector<std::string> packages = all();
  std::erase(packages, "gdb");
  std::erase(packages, "cmake");
  installed(packages);
  user("0");
  const command_result result = run("setup test");
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  EXPECT_EQ(apt_calls(),
            "-q -o DPkg::Lock::Timeout=600 update\n"
            "-q -o DPkg::Lock::Timeout=600 install -y --no-install-recommends cmake gdb\n");
}

TEST_F(setup, needs_less_for_a_build_than_for_the_tests) {
  installed(wanted("\"${build_packages[@]}\""));
  user("0");
  EXPECT_EQ(run("setup build").exit_code, 0);
  EXPECT_EQ(apt_calls(), "");
  EXPECT_EQ(run("setup test").exit_code, 0);
  EXPECT_NE(apt_calls().find("clang-19"), std::string::npos);
}

TEST_F(setup, accepts_either_of_two_packages_that_exclude_each_other) {
  std::vector<std::string> packages = all();
  std::erase(packages, "hwloc-nox");
  packages.emplace_back("hwloc");
  installed(packages);
  user("0");
  EXPECT_EQ(run("setup test").exit_code, 0);
  EXPECT_EQ(apt_calls(), "");
}

TEST_F(setup, uses_sudo_when_not_root) {
  installed({});
  user("1000");
  program("sudo", "echo sudo >>\"$LOG\"; exec \"$@\"");
  EXPECT_EQ(run("setup build").exit_code, 0);
  EXPECT_EQ(apt_calls().substr(0, 5), "sudo\n");
}

TEST_F(setup, says_what_to_run_as_root_when_it_may_not_install) {
  std::vector<std::string> packages = all();
  std::erase(packages, "libnuma-dev");
  installed(packages);
  user("1000");
  const command_result result = run("setup build");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("needs root or sudo"), std::string::npos) << to_string(result);
  EXPECT_NE(result.err.find("apt-get install --no-install-recommends libnuma-dev\n"),
            std::string::npos)
      << to_string(result);
  EXPECT_EQ(apt_calls(), "");
}

TEST_F(setup, goes_on_with_the_lists_at_hand_when_they_cannot_be_updated) {
  installed({});
  user("0");
  program("apt-get", "echo \"$@\" >>\"$LOG\"; case \"$*\" in *update*) exit 100;; esac");
  const command_result result = run("setup build");
  EXPECT_EQ(result.exit_code, 0) << to_string(result);
  EXPECT_NE(apt_calls().find(" install "), std::string::npos);
}

TEST_F(setup, fails_when_the_packages_cannot_be_installed) {
  installed({});
  user("0");
  program("apt-get", "exit 100");
  const command_result result = run("setup build");
  EXPECT_EQ(result.exit_code, 2) << to_string(result);
  EXPECT_NE(result.err.find("could not install: build-essential"), std::string::npos)
      << to_string(result);
}

TEST_F(setup, says_so_on_a_system_without_debian_packages) {
  const command_result result = run("setup build");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("not a Debian system"), std::string::npos) << to_string(result);
}

}  // namespace
