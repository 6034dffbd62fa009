// The system refuses a thread: a smaller pool with one warning, or a clear error.
//
// This program's own pthread_create stands before the C library's and fails when told to.
// Sanitizers have theirs there, so under them these tests do not exist.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <nearfork/detail/warn.hpp>
#include <nearfork/nearfork.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace {
std::atomic<int> threads_left{std::numeric_limits<int>::max()};
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, start, argument);
}

namespace {

std::vector<std::string> warnings;

class refused_threads : public ::testing::Test {
 protected:
  void SetUp() override {
    warnings.clear();
    nearfork::detail::forget_warnings();
    nearfork::detail::set_warning_sink([](std::string_view w) { warnings.emplace_back(w); });
  }
  void TearDown() override {
    threads_left = std::numeric_limits<int>::max();
    nearfork::detail::set_warning_sink(nullptr);
    nearfork::detail::forget_warnings();
  }
  static nearfork::pool_options four() {
    nearfork::pool_options o;
    o.workers = 4;
    o.bind = nearfork::bind_policy::none;
    return o;
  }
};

TEST_F(refused_threads, leave_a_smaller_pool_and_one_warning) {
  for (int k = 1; k < 4; ++k) {
    nearfork::detail::forget_warnings();
    warnings.clear();
    threads_left = k;
    nearfork::pool p(four());
    EXPECT_EQ(p.worker_count(), static_cast<std::size_t>(k));
    EXPECT_EQ(p.plan().workers.size(), static_cast<std::size_t>(k));
    int about_threads = 0;
    for (const std::string& w : warnings) {
      if (w.find("worker threads could be started") != std::string::npos) ++about_threads;
    }
    EXPECT_EQ(about_threads, 1);
    EXPECT_EQ(p.run([] { return nearfork::join([] { return 1; }, [] { return 2; }).second; }), 2);
  }
}

TEST_F(refused_threads, are_an_error_when_not_even_one_can_be_had) {
  threads_left = 0;
  try {
    nearfork::pool p(four());
    FAIL();
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), EAGAIN);
  }
  threads_left = std::numeric_limits<int>::max();
  nearfork::pool p(four());
  EXPECT_EQ(p.worker_count(), 4U);
}

TEST_F(refused_threads, leave_a_pool_that_grows_as_it_is) {
  nearfork::pool p(four());
  threads_left = 1;
  p.resize(8);
  EXPECT_EQ(p.worker_count(), 5U);
  EXPECT_EQ(p.run([] { return nearfork::join([] { return 1; }, [] { return 2; }).first; }), 1);
}

TEST_F(refused_threads, let_blocking_go_on_without_a_stand_in) {
  nearfork::pool p(four());
  threads_left = 0;
  EXPECT_EQ(p.run([] { return nearfork::blocking([] { return 9; }); }), 9);
}

}  // namespace

#endif
