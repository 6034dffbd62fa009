#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/detail/warn.hpp>
#include <thread>
#include <vector>

#include "here.hpp"

namespace {

using namespace nearfork::detail;
using nearfork::alloc_tests::here;

/// Runs \p f in a child; returns how the child ended. Reaches its end or the time limit.
template <class F>
int in_child(F f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a child that hangs is a failure with a signal, not a test that hangs
    _exit(f());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(forked_child, allocates_and_frees_whatever_the_parents_threads_were_doing) {
  auto& pool = node_pool::of(here());
  void* small = pool.allocate(100);
  void* large = pool.allocate(1'000'000);
  set_warning_sink([](std::string_view) {});
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      node_cache cache(here());
      while (!stop) {
        void* a = cache.allocate(50'000);
        void* b = pool.allocate(400);
        void* c = pool.allocate(200'000);
        warn_once("forked_child", "seen once");
        cache.deallocate(a, 50'000);
        cache.deallocate(b, 400);
        pool.deallocate(c, 200'000);
        cache.trim();
        pool.trim();
      }
    });
  for (int i = 0; i < 60; ++i) {
    const int status = in_child([&] {
      pool.deallocate(small, 100);  // the parent's, freed in the child's copy
      pool.deallocate(large, 1'000'000);
      node_cache cache(here());
      for (int n = 0; n < 5; ++n) {
        void* p = cache.allocate(3000);
        void* q = pool.allocate(300'000);
        std::memset(p, 1, 3000);
        std::memset(q, 1, 300'000);
        cache.deallocate(p, 3000);
        pool.deallocate(q, 300'000);
      }
      warn_once("in the child", "x");
      return 7;
    });
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) == 7);
    if (HasFailure()) break;
  }
  stop = true;
  for (auto& t : threads) t.join();
  set_warning_sink(nullptr);
  pool.deallocate(small, 100);
  pool.deallocate(large, 1'000'000);
}

TEST(forked_child, leaves_the_parents_caches_alone_when_it_destroys_them) {
  auto cache = std::make_unique<node_cache>(here());
  void* p = cache->allocate(100);
  const int status = in_child([&] {
    cache.reset();
    const node_cache mine(here());
    const auto adopted = mine.statistics();
    return adopted.bound + adopted.unbound == 0 ? 7 : 8;
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  cache->deallocate(p, 100);
}

}  // namespace
