/// The hooks of the instrumented types, the functions for programs, and the allocation functions
/// of the process: memory asked for by explored code comes from the explored region.
#include <cstdio>
#include <cstdlib>
#include <new>

#include "explorer.hpp"

namespace nearfork::model {

namespace {

explorer& active() noexcept {
  explorer& e = explorer::instance();
  if (!e.inside()) {
    std::fputs("nearfork model: an instrumented object is used outside of an explored program\n",
               stderr);
    std::abort();
  }
  return e;
}

operation access(op kind, const void* object, std::memory_order order) noexcept {
  operation o;
  o.kind = kind;
  o.order = order;
  o.location = active().locate(object);
  return o;
}

}  // namespace

void construct(const void* object, std::uint64_t initial, value_info info) noexcept {
  active().construct(object, location::state::atomic, initial, info);
}
void destroy(const void* object) noexcept { active().destroy(object); }

std::uint64_t load(const void* object, std::memory_order order, const where& site) noexcept {
  return active().operate(access(op::load, object, order), site).value;
}
void store(void* object, std::uint64_t value, std::memory_order order, const where& site) noexcept {
  operation o = access(op::store, object, order);
  o.operand = value;
  active().operate(o, site);
}
std::uint64_t modify(void* object, rmw function, std::uint64_t operand, std::memory_order order,
                     const where& site) noexcept {
  operation o = access(op::modify, object, order);
  o.function = function;
  o.operand = operand;
  return active().operate(o, site).value;
}
bool compare_exchange(void* object, std::uint64_t& expected, std::uint64_t desired,
                      std::memory_order success, std::memory_order failure, bool weak,
                      const where& site) noexcept {
  operation o = access(op::compare_exchange, object, success);
  o.failure = failure;
  o.weak = weak;
  o.operand = desired;
  o.expected = expected;
  const memory::effect e = active().operate(o, site);
  if (!e.success) expected = e.value;
  return e.success;
}

void fence(std::memory_order order, const where& site) noexcept {
  operation o;
  o.kind = op::fence;
  o.order = order;
  active().operate(o, site);
}
void light(const where& site) noexcept {
  operation o;
  o.kind = op::light;
  active().operate(o, site);
}
void heavy(const where& site) noexcept {
  operation o;
  o.kind = op::heavy;
  active().operate(o, site);
}
void pause(const where& site) noexcept {
  operation o;
  o.kind = op::pause;
  active().operate(o, site);
}
void futex_wait(const void* object, std::uint64_t expected, const where& site) noexcept {
  operation o = access(op::futex_wait, object, std::memory_order_relaxed);
  o.expected = expected;
  active().operate(o, site);
}
void futex_wake(const void* object, std::uint32_t count, const where& site) noexcept {
  operation o = access(op::futex_wake, object, std::memory_order_relaxed);
  o.operand = count;
  active().operate(o, site);
}

void plain_construct(const void* object) noexcept {
  active().construct(object, location::state::plain, 0, {value_type::unsigned_integer, 8});
}
void plain_destroy(const void* object) noexcept { active().destroy(object); }
void plain_read(const void* object, std::uint64_t digest, const where& site) noexcept {
  active().plain_access(object, false, digest, site);
}
void plain_write(const void* object, std::uint64_t digest, const where& site) noexcept {
  active().plain_access(object, true, digest, site);
}
std::uint64_t digest(const void* bytes, std::size_t size) noexcept {
  hash128 h;
  h.add(bytes, size);
  return h.low;
}

report explore(const erased_program& program, const options& how) {
  return explorer::instance().run(program, how);
}
void require(bool holds, const char* otherwise, where site) {
  active().require(holds, otherwise, site);
}
void cut(where) { active().cut(); }
void record(std::initializer_list<std::int64_t> values) { active().record(values); }
void step(const char*, where site) {
  operation o;
  o.kind = op::step;
  active().operate(o, site);
}
void fence_of(std::memory_order order, where site) { fence(order, site); }
bool ended() noexcept { return active().all_ended(); }
unsigned this_thread() noexcept { return active().thread(); }

const char* name_of(machine m) noexcept {
  switch (m) {
    case machine::sequential:
      return "sequential";
    case machine::total_store_order:
      return "total store order";
    case machine::views:
      return "views";
  }
  return "?";
}

std::string report::summary() const {
  char text[256];
  std::snprintf(text, sizeof(text),
                "%-36s %-17s %9llu executions %10llu states %11llu transitions %7.2f s  %s",
                program.c_str(), name_of(on), static_cast<unsigned long long>(executions),
                static_cast<unsigned long long>(states),
                static_cast<unsigned long long>(transitions), seconds,
                !complete       ? "INCOMPLETE"
                : error.empty() ? "correct"
                                : error.c_str());
  return text;
}

}  // namespace nearfork::model

// ---------------------------------------------------------------------------------------------

namespace {
// Before main() and outside of programs this is ordinary memory. The flag is constant-initialised
// with the explorer's first use, so that allocations before it do not construct the explorer.
void* allocate(std::size_t bytes, std::size_t alignment) {
  using nearfork::model::explorer;
  if (explorer::exploring()) return explorer::instance().allocate(bytes, alignment);
  void* p = alignment <= alignof(std::max_align_t)
                ? std::malloc(bytes ? bytes : 1)
                : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
void deallocate(void* p) noexcept {
  using nearfork::model::explorer;
  if (!p) return;
  if (explorer::exploring())
    explorer::instance().deallocate(p);
  else
    std::free(p);
}
}  // namespace

void* operator new(std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new[](std::size_t n) { return allocate(n, alignof(std::max_align_t)); }
void* operator new(std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return allocate(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
  return allocate(n, alignof(std::max_align_t));
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
  return allocate(n, alignof(std::max_align_t));
}
void operator delete(void* p) noexcept { deallocate(p); }
void operator delete[](void* p) noexcept { deallocate(p); }
void operator delete(void* p, std::size_t) noexcept { deallocate(p); }
void operator delete[](void* p, std::size_t) noexcept { deallocate(p); }
void operator delete(void* p, std::align_val_t) noexcept { deallocate(p); }
void operator delete[](void* p, std::align_val_t) noexcept { deallocate(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { deallocate(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { deallocate(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { deallocate(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { deallocate(p); }
