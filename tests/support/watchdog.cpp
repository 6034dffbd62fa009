#include "watchdog.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace nearfork::support {
namespace {

using clock = std::chrono::steady_clock;

#if defined(__SANITIZE_THREAD__)
constexpr int slowness = 5;
#elif defined(__SANITIZE_ADDRESS__)
constexpr int slowness = 3;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr int slowness = 5;
#elif __has_feature(address_sanitizer)
constexpr int slowness = 3;
#else
constexpr int slowness = 1;
#endif
#else
constexpr int slowness = 1;
#endif

// Asks a thread for its backtrace where there is no debugger.
int backtrace_signal() { return SIGRTMAX - 3; }

// backtrace() is not async-signal-safe to the letter (its first call may allocate, so one is made
// beforehand), but the process is about to be ended anyway.
void print_own_backtrace(int) {
  std::array<void*, 64> frames{};
  const int n = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), n, STDERR_FILENO);
}

void say(const std::string& text) {
  [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

std::string contents(const std::string& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Stacks by gdb. \returns false when there is none or it cannot attach.
bool stacks_by_debugger(pid_t process) {
  const std::string pid = std::to_string(process);
  const pid_t gdb = ::fork();
  if (gdb == 0) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    ::execlp("timeout", "timeout", "90", "gdb", "-nx", "-batch", "-p", pid.c_str(), "-ex",
             "set debuginfod enabled off", "-ex", "set print thread-events off", "-ex",
             "thread apply all backtrace 40", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = -1;
  while (gdb > 0 && ::waitpid(gdb, &status, 0) < 0 && errno == EINTR) {
  }
  return gdb > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What can be known without a debugger.
void stacks_by_signals(pid_t process) {
  std::error_code gone;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  for (const auto& entry : std::filesystem::directory_iterator(tasks, gone)) {
    const std::string thread = entry.path().filename().string();
    say("watchdog: thread " + thread + " (" + contents(entry.path() / "comm") + "), waiting in '" +
        contents(entry.path() / "wchan") + "', system call " + contents(entry.path() / "syscall") +
        "\n");
    ::syscall(SYS_tgkill, process, std::stoi(thread), backtrace_signal());
    ::usleep(200'000);  // so that the backtraces do not mix
  }
}

/// The watchdog's own process.
class monitor {
 public:
  monitor(pid_t watched, int commands, std::chrono::seconds limit)
      : watched_(watched), commands_(commands), limit_(limit) {}

  [[noreturn]] void run() {
    for (;;) {
      pollfd fd{commands_, POLLIN, 0};
      const int ready = ::poll(&fd, 1, wait_milliseconds());
      if (ready > 0) read_commands();
      // A child that a test forked may hold the socket open for longer than the process lives.
      if (::kill(watched_, 0) != 0) ::_exit(0);
      if (!test_.empty() && clock::now() >= deadline_) give_up();
    }
  }

 private:
  [[nodiscard]] int wait_milliseconds() const {
    constexpr long look_again = 500;
    if (test_.empty()) return look_again;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline_ - clock::now()).count();
    return static_cast<int>(std::clamp<long>(left, 0, look_again));
  }

  /// A line "name" starts a test and an empty line ends it.
  void read_commands() {
    std::array<char, 4096> buffer{};
    const ssize_t n = ::read(commands_, buffer.data(), buffer.size());
    if (n == 0) ::_exit(0);
    if (n < 0) return;
    pending_.append(buffer.data(), static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = pending_.find('\n')) != std::string::npos;) {
      test_ = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      deadline_ = clock::now() + limit_;
    }
  }

  [[noreturn]] void give_up() {
    say("watchdog: " + test_ + " has run for more than " + std::to_string(limit_.count()) +
        " s; stacks of all threads of process " + std::to_string(watched_) + ":\n");
    if (!stacks_by_debugger(watched_)) stacks_by_signals(watched_);
    say("watchdog: ending " + test_ + "\n");
    ::kill(watched_, SIGABRT);
    // The other end closes when it has ended, also while nobody has waited for it yet.
    pollfd closed{commands_, POLLIN, 0};
    if (::poll(&closed, 1, 10'000) == 0) ::kill(watched_, SIGKILL);
    ::_exit(1);
  }

  pid_t watched_;
  int commands_;
  std::chrono::seconds limit_;
  std::string pending_;
  std::string test_;
  clock::time_point deadline_;
};

class reporter : public ::testing::EmptyTestEventListener {
 public:
  explicit reporter(int commands) : commands_(commands) {}

 private:
  void OnTestStart(const ::testing::TestInfo& test) override {
    send(std::string(test.test_suite_name()) + "." + test.name() + "\n");
  }
  void OnTestEnd(const ::testing::TestInfo&) override { send("\n"); }

  void send(const std::string& line) const {
    // When the watchdog is gone (killed from outside), the test must not end by SIGPIPE.
    [[maybe_unused]] const ssize_t n = ::send(commands_, line.data(), line.size(), MSG_NOSIGNAL);
  }

  int commands_;
};

}  // namespace

std::chrono::seconds test_limit() {
  const char* text = std::getenv("NEARFORK_TEST_LIMIT_S");
  if (text == nullptr || *text == '\0') return std::chrono::seconds(120 * slowness);
  char* end = nullptr;
  const long seconds = std::strtol(text, &end, 10);
  if (*end != '\0' || seconds < 0 || seconds > 1'000'000) {
    throw std::invalid_argument(std::string("NEARFORK_TEST_LIMIT_S is '") + text +
                                "'; accepted: whole seconds, 0 for no limit");
  }
  return std::chrono::seconds(seconds);
}

void start_watchdog() {
  const std::chrono::seconds limit = test_limit();
  if (limit.count() == 0) return;

  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  const pid_t watched = ::getpid();
  const pid_t between = ::fork();
  if (between < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (between == 0) {
    // Forked twice: the watchdog is not a child of the test, which may wait for all of its own.
    if (::fork() != 0) ::_exit(0);
    ::setpgid(0, 0);
    ::close(ends[0]);
    ::prctl(PR_SET_NAME, "test-watchdog");
    monitor(watched, ends[1], limit).run();
  }
  ::close(ends[1]);
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }

  // Where the kernel lets only ancestors trace a process (Yama), allow the watchdog's gdb.
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  std::array<void*, 1> frame{};
  ::backtrace(frame.data(), 1);  // loads what it needs now
  struct sigaction action{};
  action.sa_handler = print_own_backtrace;
  action.sa_flags = SA_RESTART;
  ::sigaction(backtrace_signal(), &action, nullptr);
  ::testing::UnitTest::GetInstance()->listeners().Append(new reporter(ends[0]));
}

}  // namespace nearfork::support
