#include "run_command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "watchdog.hpp"

extern char** environ;

namespace nearfork::support {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = other.fd_;
      other.fd_ = -1;
    }
    return *this;
  }
  ~descriptor() { close(); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_ = -1;
};

struct pipe_ends {
  descriptor read;
  descriptor write;
};

pipe_ends make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail("pipe2");
  return {descriptor(fds[0]), descriptor(fds[1])};
}

/// The environment of the child, made before fork: afterwards only async-signal-safe calls.
std::vector<std::string> environment_of(const command_options& options) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!options.environment.contains(text.substr(0, text.find('=')))) result.push_back(text);
  }
  for (const auto& [name, value] : options.environment) {
    if (value) result.push_back(name + "=" + *value);
  }
  return result;
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

struct child_setup {
  int in, out, err, status;
  const char* directory;
  char* const* argv;
  char* const* environment;
};

/// Only async-signal-safe calls: other threads' locks may be held in the copy.
[[noreturn]] void become(const child_setup& setup) {
  ::setpgid(0, 0);
  if (::dup2(setup.in, 0) >= 0 && ::dup2(setup.out, 1) >= 0 && ::dup2(setup.err, 2) >= 0 &&
      (setup.directory == nullptr || ::chdir(setup.directory) == 0)) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execvpe(setup.argv[0], setup.argv, setup.environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(setup.status, &error, sizeof error);
  ::_exit(127);
}

/// An unnamed file with the text that the program reads on stdin.
descriptor input_file(const std::string& text) {
  descriptor file(::memfd_create("input", MFD_CLOEXEC));
  if (file.get() < 0) fail("memfd_create");
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(file.get(), text.data() + written, text.size() - written);
    if (n < 0 && errno != EINTR) fail("write");
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// Collects both outputs until they end or the time is over.
/// \returns false when the time was over.
bool collect(const descriptor& out, const descriptor& err, clock::time_point deadline,
             command_result& result) {
  std::array<pollfd, 2> fds{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
  std::array<std::string*, 2> sinks{&result.out, &result.err};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left)) < 0 && errno != EINTR) fail("poll");
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      std::array<char, 65536> buffer{};
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n > 0) sinks[i]->append(buffer.data(), static_cast<std::size_t>(n));
      if (n == 0 || (n < 0 && errno != EINTR)) fds[i].fd = -1;
    }
  }
  return true;
}

/// Waits for the end of a process that has closed its outputs, within the time limit.
bool reap(pid_t child, clock::time_point deadline, int& status) {
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) return true;
    if (done < 0 && errno != EINTR) fail("waitpid");
    if (clock::now() >= deadline) return false;
    ::usleep(500);
  }
}

}  // namespace

std::chrono::milliseconds default_timeout() {
  const std::chrono::milliseconds limit = test_limit();
  return limit.count() == 0 ? std::chrono::seconds(100) : limit * 4 / 5;
}

command_result run_command(const std::vector<std::string>& argv, const command_options& options) {
  if (argv.empty()) throw std::invalid_argument("run_command: no program given");
  const clock::time_point deadline = clock::now() + options.timeout;
  const descriptor in = input_file(options.input);
  pipe_ends out = make_pipe();
  pipe_ends err = make_pipe();
  pipe_ends status = make_pipe();
  const std::vector<std::string> environment = environment_of(options);
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  const child_setup setup{in.get(),
                          out.write.get(),
                          err.write.get(),
                          status.write.get(),
                          options.directory.empty() ? nullptr : options.directory.c_str(),
                          argv_pointers.data(),
                          environment_pointers.data()};
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) become(setup);

  out.write.close();
  err.write.close();
  status.write.close();
  int error = 0;
  ssize_t got = 0;
  do {
    got = ::read(status.read.get(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  int code = 0;
  if (got > 0) {
    ::waitpid(child, &code, 0);
    errno = error;
    fail("cannot run " + argv[0]);
  }

  command_result result;
  result.timed_out = !collect(out.read, err.read, deadline, result) || !reap(child, deadline, code);
  if (result.timed_out) {
    ::kill(-child, SIGKILL);
    while (::waitpid(child, &code, 0) < 0 && errno == EINTR) {
    }
  }
  if (WIFEXITED(code)) result.exit_code = WEXITSTATUS(code);
  if (WIFSIGNALED(code)) result.signal = WTERMSIG(code);
  return result;
}

std::string to_string(const command_result& result) {
  std::string text = "exit code " + std::to_string(result.exit_code);
  if (result.signal != 0) text += ", signal " + std::to_string(result.signal);
  if (result.timed_out) text += ", timed out";
  return text + "\nstdout:\n" + result.out + "\nstderr:\n" + result.err;
}

}  // namespace nearfork::support
