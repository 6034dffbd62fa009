/// The explorer as seen from the explored threads: operations arrive here on the thread's own
/// stack, and are done at once or wait for their turn.
#include <algorithm>
#include <bit>
#include <exception>

#include "explorer.hpp"

namespace nearfork::model {

void explorer::thread_entry() {
  explorer& e = instance();
  e.body(e.running_);
}

void explorer::body(unsigned thread) {
  const auto failed = [this](const std::string& why) {
    memory_.fail("an exception left the thread: " + why);
    check();
  };
  try {
    if (thread == 0) {
      program_->begin();
      {
        const outside guard;
        while (memory_.thread(0).buffered_count > 0) memory_.flush(0);
        operation wait;
        wait.kind = op::join;
        threads_[0].posted = wait;
        suspend();
        concurrent_ = false;
      }
      program_->end();
    } else {
      program_->threads[thread - 1].second();
    }
  } catch (const std::exception& e) {
    const outside guard;
    failed(e.what());
  } catch (...) {
    const outside guard;
    failed("of unknown type");
  }
  const outside guard;
  event e;
  e.thread = static_cast<std::uint8_t>(thread);
  e.kind = op::finish;
  trace_.push_back(e);
  threads_[thread].finished = true;
  for (;;) suspend();
}

void explorer::resume(unsigned thread) {
  running_ = thread;
  inside_ = true;
  switch_fiber(host_, fibers_[thread]);
  inside_ = false;
  if (threads_[thread].finished) fibers_[thread].stack_pointer = nullptr;
}

void explorer::suspend() {
  switch_fiber(fibers_[running_], host_);
  inside_ = false;  // the caller is explorer code on the fiber's stack
}

/// After anything that can go wrong.
void explorer::check() {
  if (!memory_.error().empty() && verdict_ == verdict::going) verdict_ = verdict::failed;
}

void explorer::run_thread(unsigned thread, unsigned choice) {
  thread_state& t = threads_[thread];
  perform(thread, choice);
  if (verdict_ != verdict::going) return;
  if (t.posted.kind == op::futex_wait && t.result.success) {
    t.posted.kind = op::futex_sleep;
    t.woken = false;
    return;
  }
  resume(thread);
}

location_id explorer::locate(const void* p) {
  const outside guard;
  const location_id loc = memory_.find(p);
  check();
  if (verdict_ != verdict::going) suspend();
  return loc;
}

memory::effect explorer::operate(operation o, const where& place) {
  const outside guard;
  const unsigned thread = running_;
  o.site = sites().visit(place, o);
  bool blind = false;
  if (!sites().mutate(o)) {
    if (o.kind != op::compare_exchange) return {};
    // "Without the compare": the exchange is made whatever is there.
    o.kind = op::modify;
    o.function = rmw::exchange;
    blind = true;
  }
  thread_state& t = threads_[thread];
  for (;;) {
    if (concurrent_) learn_access(thread, o);
    if (o.kind == op::pause && !pause(thread)) return {};
    t.posted = o;
    if (verdict_ != verdict::going) suspend();
    if (!concurrent_) {
      while (memory_.thread(thread).buffered_count > 0) memory_.flush(thread);
      perform(thread, 0);
    } else if (unnoticed(thread, o)) {
      perform(thread, 0);
    } else {
      suspend();
    }
    if (trace_.size() > how_.max_steps) {
      memory_.fail("the execution is too long: a loop that does not end?");
      check();
    }
    if (verdict_ != verdict::going) suspend();
    if (o.kind != op::heavy) break;
    o.kind = op::heavy_wait;
  }
  memory::effect e = t.result;
  if (blind) e.success = true;
  return e;
}

void explorer::perform(unsigned thread, unsigned choice) {
  thread_state& t = threads_[thread];
  const operation o = t.posted;
  memory::effect e;
  switch (o.kind) {
    case op::step:
      break;
    case op::pause:
      t.watched_count = 0;
      break;
    case op::join:
      for (unsigned other = 1; other < count_; ++other) memory_.learn(0, other);
      return;
    case op::heavy: {
      std::uint32_t others = 0;
      if (concurrent_)
        for (unsigned other = 1; other < count_; ++other)
          if (other != thread) others |= 1u << other;
      memory_.heavy_begin(thread, others);
      break;
    }
    case op::futex_sleep:
      t.woken = false;
      break;
    case op::futex_wake:
      e = memory_.perform(thread, o, 0);
      wake(o, choice, e);
      break;
    default:
      e = memory_.perform(thread, o, choice);
      break;
  }
  t.result = e;
  t.history = multiply_mix(t.history ^ (e.value + 0x9e3779b97f4a7c15u),
                           0xd6e8feb86659fd93u + (e.success ? 2u : 0u)) +
              static_cast<std::uint64_t>(o.kind);
  if (t.watching && (o.kind == op::load || o.kind == op::modify || o.kind == op::compare_exchange ||
                     o.kind == op::futex_wait))
    watch(thread, o.location);
  log(thread, o, e);
  check();
}

void explorer::log(unsigned thread, const operation& o, const memory::effect& e) {
  event entry;
  entry.thread = static_cast<std::uint8_t>(thread);
  entry.kind = o.kind;
  entry.function = o.function;
  entry.order = o.order;
  entry.location = o.location;
  entry.site = o.site;
  if (o.location != no_location) entry.info = memory_.at(o.location).info;
  entry.success = e.success;
  entry.newer = e.newer;
  entry.value = e.value;
  entry.wrote = e.wrote;
  entry.expected = o.expected;
  trace_.push_back(entry);
}

// ---------------------------------------------------------------------------------------------
// Steps that no other thread can notice are not scheduling points. Whether a location is used by
// one thread only is not known beforehand: it is assumed until another thread appears, and then
// the search starts anew with that knowledge.

bool explorer::unnoticed(unsigned thread, const operation& o) {
  if (!how_.reduce) return false;
  const auto self = static_cast<std::uint8_t>(1u << thread);
  switch (o.kind) {
    case op::light:
      if (how_.on != machine::views) return true;
      if (heavy_used_) return false;
      no_heavy_assumed_ = true;
      return true;
    case op::fence:
      if (o.order != std::memory_order_seq_cst || how_.on == machine::sequential) return true;
      if (how_.on == machine::total_store_order) return memory_.thread(thread).buffered_count == 0;
      if ((fencers_ & ~self) != 0) return false;
      sole_fencer_ = self;
      return true;
    case op::store:
      // Into the thread's own buffer: only a heavy barrier's arrival could tell.
      if (how_.on == machine::total_store_order && !heavy_used_) {
        no_heavy_assumed_ = true;
        return true;
      }
      break;
    case op::load:
    case op::modify:
    case op::compare_exchange:
      break;
    default:
      return false;
  }
  if (memory_.choices(thread, o) != 1) return false;
  if (o.kind == op::store && how_.on == machine::total_store_order) return false;
  if (others_done(thread)) return true;
  knowledge& k = knowledge_[o.location];
  if ((k.accessed & ~self) == 0) {
    k.alone |= self;
    return true;
  }
  if (o.kind == op::load && (k.written & ~self) == 0) {
    k.sole_writer |= self;
    return true;
  }
  return false;
}

void explorer::learn_access(unsigned thread, const operation& o) {
  const auto self = static_cast<std::uint8_t>(1u << thread);
  bool wrong = false;
  if (o.location != no_location) {
    if (knowledge_.size() <= o.location) knowledge_.resize(o.location + std::size_t{1});
    knowledge& k = knowledge_[o.location];
    k.accessed |= self;
    wrong = (k.alone & ~self) != 0;
    if (o.kind != op::load) {
      k.written |= self;
      wrong = wrong || (k.sole_writer & ~self) != 0;
    }
  } else if (o.kind == op::fence && o.order == std::memory_order_seq_cst) {
    fencers_ |= self;
    wrong = (sole_fencer_ & ~self) != 0;
  } else if (o.kind == op::heavy) {
    fencers_ = 0xff;
    heavy_used_ = true;
    wrong = no_heavy_assumed_ || sole_fencer_ != 0;
  }
  if (wrong && verdict_ == verdict::going) verdict_ = verdict::restart;
}

void explorer::assume_again() {
  for (knowledge& k : knowledge_) k.alone = k.sole_writer = 0;
  sole_fencer_ = 0;
  no_heavy_assumed_ = false;
}

// ---------------------------------------------------------------------------------------------
// Loops that wait

/// Notes what a waiting loop reads in its present round.
void explorer::watch(unsigned thread, location_id loc) {
  thread_state& t = threads_[thread];
  const thread_state::watched w{loc, memory_.seen(thread, loc)};
  auto* const end = t.now.data() + t.watched_count;
  auto* const at = std::lower_bound(
      t.now.data(), end, w, [](const auto& a, const auto& b) { return a.location < b.location; });
  if (at != end && at->location == loc) {
    *at = w;
    return;
  }
  if (t.watched_count == thread_state::max_watched) {  // not a waiting loop any more
    t.watching = false;
    t.watched_count = t.before_count = 0;
    return;
  }
  std::copy_backward(at, end, end + 1);
  *at = w;
  ++t.watched_count;
}

/// At a spin_pause(): true if the thread has to wait for its turn there.
bool explorer::pause(unsigned thread) {
  thread_state& t = threads_[thread];
  if (!concurrent_) return false;
  if (!t.watching || t.watched_count == 0) {
    // The first round also read what came before the loop: look at the next one.
    t.watching = true;
    t.watched_count = t.before_count = 0;
    event e;
    e.thread = static_cast<std::uint8_t>(thread);
    e.kind = op::pause;
    trace_.push_back(e);
    if (trace_.size() > how_.max_steps) {
      memory_.fail("the execution is too long: a loop that does not end?");
      check();
      suspend();
    }
    return false;
  }
  const bool same = t.before_count == t.watched_count &&
                    std::equal(t.now.begin(), t.now.begin() + t.watched_count, t.before.begin());
  if (same) {
    // A round that learned nothing: the schedule in which this thread waited instead is explored
    // elsewhere.
    if (verdict_ == verdict::going) verdict_ = verdict::pruned;
    suspend();
  }
  t.before = t.now;
  t.before_count = t.watched_count;
  return true;
}

// ---------------------------------------------------------------------------------------------
// Futex

unsigned explorer::sleepers(location_id loc) const noexcept {
  unsigned mask = 0;
  for (unsigned t = 1; t < count_; ++t)
    if (!threads_[t].finished && threads_[t].posted.kind == op::futex_sleep && !threads_[t].woken &&
        threads_[t].posted.location == loc)
      mask |= 1u << t;
  return mask;
}

unsigned explorer::wake_choices(const operation& o) const noexcept {
  const auto n = static_cast<unsigned>(std::popcount(sleepers(o.location)));
  const auto k = static_cast<unsigned>(std::min<std::uint64_t>(n, o.operand));
  unsigned binomial = 1;
  for (unsigned i = 0; i < k; ++i) binomial = binomial * (n - i) / (i + 1);
  return binomial;
}

/// Wakes the choice-th set of sleepers of the size asked for: the kernel's order is not promised.
void explorer::wake(const operation& o, unsigned choice, memory::effect& e) {
  const unsigned all = sleepers(o.location);
  const auto n = static_cast<unsigned>(std::popcount(all));
  const auto k = static_cast<int>(std::min<std::uint64_t>(n, o.operand));
  for (unsigned subset = all;; subset = (subset - 1) & all) {
    if (std::popcount(subset) == k && choice-- == 0) {
      for (unsigned t = 1; t < count_; ++t)
        if ((subset >> t) & 1u) threads_[t].woken = true;
      break;
    }
    if (subset == 0) break;
  }
  e.value = static_cast<std::uint64_t>(k);
}

// ---------------------------------------------------------------------------------------------
// Everything that is not an atomic operation

void explorer::construct(const void* p, location::state what, std::uint64_t value,
                         value_info info) {
  const outside guard;
  memory_.construct(running_, p, what, value, info);
  check();
  if (verdict_ != verdict::going) suspend();
}

void explorer::destroy(const void* p) {
  const outside guard;
  const location_id loc = memory_.find(p);
  if (loc != no_location) memory_.destroy(running_, loc, "destroyed");
  check();
  if (verdict_ != verdict::going) suspend();
}

void explorer::plain_access(const void* p, bool write, std::uint64_t digest, const where& place) {
  const outside guard;
  operation o;
  o.kind = write ? op::plain_write : op::plain_read;
  o.site = sites().visit(place, o);
  o.location = memory_.find(p);
  memory::effect e;
  if (o.location != no_location) {
    if (write) {
      memory_.plain_write(running_, o.location, digest);
    } else {
      memory_.plain_read(running_, o.location);
      thread_state& t = threads_[running_];
      t.history = multiply_mix(t.history ^ digest, 0x8bb84b93962eacc9u);
    }
  }
  log(running_, o, e);
  check();
  if (verdict_ != verdict::going) suspend();
}

void* explorer::allocate(std::size_t bytes, std::size_t alignment) {
  const outside guard;
  void* p = region_.allocate(running_, bytes, alignment);
  operation o;
  o.kind = op::allocate;
  memory::effect e;
  e.value = reinterpret_cast<std::uintptr_t>(p);
  e.wrote = bytes;
  log(running_, o, e);
  if (!p) {
    memory_.fail("the explored program uses more memory than the explorer gives it");
    check();
    suspend();
  }
  return p;
}

void explorer::deallocate(void* p) {
  const outside guard;
  const region::block b = region_.block_at(p);
  operation o;
  o.kind = op::deallocate;
  memory::effect e;
  e.value = reinterpret_cast<std::uintptr_t>(p);
  e.wrote = b.bytes;
  log(running_, o, e);
  if (b.live) {
    memory_.destroy_range(running_, p, b.bytes);
    region_.release(p);
  } else {
    memory_.fail("freed twice, or never allocated");
  }
  check();
  if (verdict_ != verdict::going) suspend();
}

void explorer::require(bool holds, const char* otherwise, const where& place) {
  if (holds) return;
  const outside guard;
  operation o;
  o.kind = op::step;
  o.site = sites().visit(place, o);
  log(running_, o, {});
  memory_.fail(std::string("required: ") + otherwise);
  check();
  suspend();
}

void explorer::cut() {
  const outside guard;
  ++report_.cuts;
  if (verdict_ == verdict::going) verdict_ = verdict::pruned;
  suspend();
}

void explorer::record(std::initializer_list<std::int64_t> values) {
  const outside guard;
  report_.outcomes.insert(outcome(values));
}

}  // namespace nearfork::model
