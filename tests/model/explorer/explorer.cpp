#include "explorer.hpp"

#include <bit>
#include <chrono>
#include <utility>

namespace nearfork::model {

explorer& explorer::instance() {
  static explorer e;
  return e;
}

report explorer::run(const erased_program& program, const options& how) {
  const auto start = std::chrono::steady_clock::now();
  memory_.forget_locations();
  knowledge_.clear();
  fencers_ = 0;
  heavy_used_ = false;
  do {
    begin(program, how);
    search();
  } while (verdict_ == verdict::restart);
  report_.states = memo_.size();
  report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(report_);
}

void explorer::begin(const erased_program& program, const options& how) {
  program_ = &program;
  how_ = how;
  report_ = {};
  report_.program = program.name;
  report_.on = how.on;
  region_.clear();
  memory_.clear(how.on);
  memory_.allow_spurious(how.spurious);
  memo_.clear();
  counted_.clear();
  assume_again();
  trace_.clear();
  threads_ = {};
  fibers_ = {};
  names_ = {"main"};
  for (const auto& t : program.threads) names_.push_back(t.first);
  count_ = static_cast<unsigned>(names_.size());
  asleep_at_end_ = false;
  concurrent_ = false;
  stop_ = gave_up_ = false;
  verdict_ = verdict::going;
}

void explorer::search() {
  if (count_ > max_threads) {
    report_.error = "too many threads for the explorer";
    return;
  }
  memory_.begin_main();
  make_fiber(fibers_[0], region_.stack(0), region::stack_bytes, thread_entry);
  resume(0);
  concurrent_ = true;
  for (unsigned t = 1; t < count_ && verdict_ == verdict::going; ++t) memory_.fork(0, t);
  for (unsigned t = 1; t < count_ && verdict_ == verdict::going; ++t) {
    make_fiber(fibers_[t], region_.stack(t), region::stack_bytes, thread_entry);
    resume(t);
  }
  counts total;
  if (!ended_here(total)) total = visit(0, 1);
  report_.schedules = total.all;
  report_.failing = total.failing;
  report_.complete = verdict_ != verdict::restart && !gave_up_;
}

explorer::counts explorer::visit(std::uint32_t sleep, unsigned last) {
  counts total;
  for (;;) {
    std::uint32_t enabled = 0;
    unsigned all_ways = 0;
    for (unsigned t = 0; t < transitions; ++t) {
      const unsigned n = ways(t);
      if (n > 0) enabled |= 1u << t;
      all_ways += n;
    }
    if (enabled == 0) {
      if (only_sleepers_left() && how_.may_end_asleep) {
        asleep_at_end_ = true;
        continue;
      }
      memory_.fail("deadlock: no thread can go on");
      verdict_ = verdict::failed;
      ended_here(total);
      return total;
    }
    if (all_ways > 1) return branch(sleep, enabled, last);
    // One way only: no need to remember the state or to come back to it.
    if ((enabled & sleep) != 0) return total;
    const unsigned only = static_cast<unsigned>(std::countr_zero(enabled));
    const footprint here = touched_by(only);
    for (std::uint32_t z = sleep; z != 0; z &= z - 1) {
      const auto t = static_cast<unsigned>(std::countr_zero(z));
      if (conflict(touched_by(t), here)) sleep &= ~(1u << t);
    }
    take(only, 0);
    if (ended_here(total)) return total;
    last = only;
  }
}

explorer::counts explorer::branch(std::uint32_t sleep, std::uint32_t enabled, unsigned last) {
  counts total;
  std::uint32_t todo = enabled & ~sleep;
  const bool counting = how_.count_schedules;
  std::size_t count_slot = 0;
  if (how_.remember_states) {
    bool fresh = false;
    memo::entry& known = memo_.visit(state_hash(), counting ? counted_.size() : sleep, fresh);
    if (counting) {
      count_slot = known.value;
      if (!fresh) return counted_[count_slot];
      counted_.emplace_back();
    } else if (!fresh) {
      todo = static_cast<std::uint32_t>(known.value) & ~sleep;
      sleep &= static_cast<std::uint32_t>(known.value);
      known.value = sleep;
    }
    if (memo_.size() > how_.max_states) {
      gave_up_ = stop_ = true;
      return total;
    }
  }
  if (todo == 0) return total;
  std::unique_ptr<snapshot> here;
  if (spare_.empty()) {
    here = std::make_unique<snapshot>();
  } else {
    here = std::move(spare_.back());
    spare_.pop_back();
  }
  save(*here);
  std::array<footprint, transitions> touched;
  for (std::uint32_t z = todo | sleep; z != 0; z &= z - 1) {
    const auto t = static_cast<unsigned>(std::countr_zero(z));
    touched[t] = touched_by(t);
  }
  while (todo != 0 && !stop_) {
    // The thread that ran last goes on first: simple schedules are found first.
    const unsigned t = (todo >> last) & 1u ? last : static_cast<unsigned>(std::countr_zero(todo));
    todo &= ~(1u << t);
    std::uint32_t child_sleep = 0;
    if (how_.reduce)
      for (std::uint32_t z = sleep; z != 0; z &= z - 1) {
        const auto other = static_cast<unsigned>(std::countr_zero(z));
        if (!conflict(touched[other], touched[t])) child_sleep |= 1u << other;
      }
    const unsigned n = ways(t);
    for (unsigned choice = 0; choice < n && !stop_; ++choice) {
      take(t, choice);
      if (!ended_here(total)) {
        const counts below = visit(child_sleep, t);
        total.all += below.all;
        total.failing += below.failing;
      }
      if (stop_) break;
      restore(*here);
    }
    if (how_.reduce) sleep |= 1u << t;
  }
  if (counting && how_.remember_states) counted_[count_slot] = total;
  spare_.push_back(std::move(here));
  return total;
}

bool explorer::ended_here(counts& total) {
  if (trace_.size() > how_.max_steps && verdict_ == verdict::going) {
    memory_.fail("the execution is too long: a loop that does not end?");
    verdict_ = verdict::failed;
  }
  switch (verdict_) {
    case verdict::restart:
      stop_ = true;
      return true;
    case verdict::pruned:
      verdict_ = verdict::going;
      return true;
    case verdict::failed:
      note_failure();
      ++total.all;
      ++total.failing;
      ++report_.executions;
      if (!how_.count_schedules) stop_ = true;
      memory_.forget_error();
      verdict_ = verdict::going;
      return true;
    case verdict::going:
      break;
  }
  if (!threads_[0].finished) return false;
  ++total.all;
  ++report_.executions;
  return true;
}

void explorer::note_failure() {
  if (!report_.error.empty()) return;
  report_.error = memory_.error();
  report_.counterexample = describe(trace_, memory_, names_);
}

unsigned explorer::ways(unsigned transition) const {
  if (transition >= first_deliver) {
    const unsigned to = transition - first_deliver;
    unsigned n = 0;
    for (unsigned from = 1; from < count_; ++from) n += memory_.deliverable(from, to);
    return n;
  }
  if (transition >= first_flush)
    return transition - first_flush < count_ &&
           memory_.thread(transition - first_flush).buffered_count > 0;
  if (transition >= count_) return 0;
  const thread_state& t = threads_[transition];
  if (t.finished) return 0;
  switch (t.posted.kind) {
    case op::join:
      return others_done(0) || asleep_at_end_;
    case op::futex_sleep:
      return t.woken;
    case op::pause:
      for (unsigned i = 0; i < t.before_count; ++i)
        if (memory_.newest(t.before[i].location) != t.before[i].version) return 1;
      return 0;
    case op::futex_wake:
      return memory_.choices(transition, t.posted) > 0 ? wake_choices(t.posted) : 0;
    default:
      return memory_.choices(transition, t.posted);
  }
}

void explorer::take(unsigned transition, unsigned choice) {
  ++report_.transitions;
  if (transition < max_threads) {
    run_thread(transition, choice);
    return;
  }
  event e;
  if (transition < first_deliver) {
    const unsigned thread = transition - first_flush;
    const thread_memory::buffered b = memory_.thread(thread).buffer[0];
    e.thread = static_cast<std::uint8_t>(thread);
    e.kind = op::flush;
    e.location = b.location;
    e.site = b.site;
    e.info = memory_.at(b.location).info;
    e.wrote = b.value;
    memory_.flush(thread);
  } else {
    const unsigned to = transition - first_deliver;
    unsigned from = 1;
    for (;; ++from)
      if (memory_.deliverable(from, to) && choice-- == 0) break;
    e.thread = static_cast<std::uint8_t>(to);
    e.other = static_cast<std::uint8_t>(from);
    e.kind = op::deliver;
    memory_.deliver(from, to);
  }
  trace_.push_back(e);
  check();
}

explorer::footprint explorer::touched_by(unsigned transition) const {
  footprint f;
  if (transition >= first_deliver) {
    f.threads = 1u << (transition - first_deliver);
    for (unsigned from = 1; from < count_; ++from)
      if ((memory_.thread(from).heavy_waits >> (transition - first_deliver)) & 1u)
        f.threads |= 1u << from;
    f.fence = true;
    return f;
  }
  if (transition >= first_flush) {
    const unsigned thread = transition - first_flush;
    f.threads = 1u << thread;
    f.location = memory_.thread(thread).buffer[0].location;
    f.writes = true;
    return f;
  }
  const operation& o = threads_[transition].posted;
  f.threads = 1u << transition;
  f.location = o.location;
  switch (o.kind) {
    case op::load:
      break;
    case op::store:
      if (how_.on == machine::total_store_order)
        f.location = no_location;
      else
        f.writes = true;
      break;
    case op::fence:
      f.fence = o.order == std::memory_order_seq_cst;
      break;
    case op::heavy:
    case op::heavy_wait:
      f.fence = true;
      break;
    case op::pause:
      f.watches = true;
      break;
    case op::join:
      f.everything = true;
      break;
    case op::futex_sleep:
      f.location = no_location;
      break;
    case op::light:
    case op::step:
      break;
    default:
      f.writes = true;
      break;
  }
  return f;
}

bool explorer::conflict(const footprint& a, const footprint& b) noexcept {
  return (a.threads & b.threads) != 0 || a.everything || b.everything || (a.fence && b.fence) ||
         (a.location != no_location && a.location == b.location && (a.writes || b.writes)) ||
         (a.watches && b.writes) || (b.watches && a.writes);
}

hash128 explorer::state_hash() const {
  hash128 h;
  std::uint32_t readers = 0;
  for (unsigned i = 0; i < count_; ++i) {
    const thread_state& t = threads_[i];
    if (!t.finished && i > 0) readers |= 1u << i;
    h.add(t.history);
    h.add(static_cast<std::uint64_t>(t.posted.kind) | (t.finished ? 0x100u : 0u) |
          (t.woken ? 0x200u : 0u) | (t.watching ? 0x400u : 0u) |
          (std::uint64_t{t.watched_count} << 16) | (std::uint64_t{t.before_count} << 24));
    if (t.watching) {
      h.add(t.now.data(), t.watched_count * sizeof(t.now[0]));
      h.add(t.before.data(), t.before_count * sizeof(t.before[0]));
    }
  }
  memory_.hash(h, count_, readers);
  region_.hash_arenas(h, count_);
  return h;
}

void explorer::save(snapshot& s) {
  region_.save(s.bytes, fibers_, count_);
  s.fibers = fibers_;
  for (unsigned t = 0; t < count_; ++t) {
    s.threads[t] = threads_[t];
    s.memories[t] = memory_.thread(t);
  }
  s.journal = memory_.undo().mark();
  s.trace = trace_.size();
  s.asleep_at_end = asleep_at_end_;
}

void explorer::restore(const snapshot& s) {
  fibers_ = s.fibers;
  region_.restore(s.bytes, fibers_, count_);
  for (unsigned t = 0; t < count_; ++t) {
    threads_[t] = s.threads[t];
    memory_.thread(t) = s.memories[t];
  }
  memory_.undo().roll_back(s.journal);
  trace_.resize(s.trace);
  asleep_at_end_ = s.asleep_at_end;
  concurrent_ = true;
}

bool explorer::others_done(unsigned thread) const noexcept {
  for (unsigned t = 1; t < count_; ++t)
    if (t != thread && (!threads_[t].finished || memory_.thread(t).buffered_count > 0))
      return false;
  return true;
}

bool explorer::only_sleepers_left() const noexcept {
  for (unsigned t = 1; t < count_; ++t)
    if (!threads_[t].finished && threads_[t].posted.kind != op::futex_sleep) return false;
  return !asleep_at_end_;
}

}  // namespace nearfork::model
