#include <unistd.h>

#include <mutex>
#include <nearfork/detail/warn.hpp>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "fork.hpp"

namespace nearfork::detail {

namespace {

struct warnings {
  std::set<std::string, std::less<>> given;
  warning_sink sink = nullptr;
};

// Never destroyed: warnings are given until the process ends.
warnings& all() {
  static auto& w = *new warnings;
  return w;
}

}  // namespace

small_lock& warning_lock() noexcept {
  static small_lock lock;
  return lock;
}

bool warn_once(std::string_view key, std::string_view message) noexcept {
  watch_forks();
  const std::lock_guard guard(warning_lock());
  try {
    if (all().given.contains(key)) return false;
    all().given.emplace(key);
    std::string line = "nearfork: warning: ";
    line += message;
    if (all().sink != nullptr) {
      all().sink(line);
      return true;
    }
    line += '\n';
    // One write a line, so that lines of several threads and ranks do not mix. Nothing can be done
    // about a closed stderr.
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  } catch (const std::bad_alloc&) {
    return false;  // out of memory: the warning is the least of the worries
  }
  return true;
}

warning_sink set_warning_sink(warning_sink sink) noexcept {
  const std::lock_guard guard(warning_lock());
  return std::exchange(all().sink, sink);
}

void forget_warnings() noexcept {
  const std::lock_guard guard(warning_lock());
  all().given.clear();
}

}  // namespace nearfork::detail
