/// \file
/// Environment variables that are put back at the end of a test.
#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace nearfork::support {

/// Sets or removes environment variables while it lives. Not thread-safe: no other thread may read
/// the environment meanwhile.
class scoped_environment {
 public:
  scoped_environment() = default;
  scoped_environment(const std::string& name, const std::string& value) { set(name, value); }
  scoped_environment(const scoped_environment&) = delete;
  scoped_environment& operator=(const scoped_environment&) = delete;
  ~scoped_environment() {
    for (const auto& [name, value] : before_) put(name, value);
  }

  void set(const std::string& name, const std::string& value) { change(name, value); }
  void unset(const std::string& name) { change(name, std::nullopt); }

 private:
  using value_type = std::optional<std::string>;

  void change(const std::string& name, const value_type& value) {
    const char* now = std::getenv(name.c_str());
    before_.try_emplace(name, now == nullptr ? value_type() : value_type(now));
    put(name, value);
  }
  static void put(const std::string& name, const value_type& value) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }

  std::map<std::string, value_type> before_;
};

}  // namespace nearfork::support
