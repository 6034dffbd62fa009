// The allocators under test, under one interface: heap objects belong to one thread each.
#pragma once

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#ifdef NEARFORK_BENCH_OURS
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/node_resource.hpp>
#endif

namespace nearfork::bench {

/// Whatever malloc is in this program.
struct malloc_heap {
  static std::string name() { return NEARFORK_BENCH_HEAP; }
  void* allocate(std::size_t bytes) { return std::malloc(bytes); }
  void deallocate(void* p, std::size_t) { std::free(p); }
};

#ifdef NEARFORK_BENCH_OURS
/// A worker's own cache, as the engine uses it.
struct cache_heap {
  static std::string name() { return "nearfork-cache"; }
  void* allocate(std::size_t bytes) { return cache.allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { cache.deallocate(p, bytes); }
  detail::node_cache cache{node_resource(0).os_id()};
};

/// What threads without a cache, and users of std::pmr, get.
struct resource_heap {
  static std::string name() { return "nearfork-resource"; }
  void* allocate(std::size_t bytes) { return resource->allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { resource->deallocate(p, bytes); }
  std::pmr::memory_resource* resource = node_resource(0);
};
#endif

/// Runs register_for.operator()<heap>() for each heap of this program.
template <class F>
int for_each_heap(F register_for) {
  register_for.template operator()<malloc_heap>();
#ifdef NEARFORK_BENCH_OURS
  register_for.template operator()<cache_heap>();
  register_for.template operator()<resource_heap>();
#endif
  return 0;
}

/// Bytes of this process that are in memory.
inline double resident_bytes() {
  long pages = 0;
  if (FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%*d %ld", &pages) != 1) pages = 0;
    std::fclose(f);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace nearfork::bench
