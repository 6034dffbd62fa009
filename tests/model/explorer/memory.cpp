#include "memory.hpp"

#include <cstring>
#include <limits>

namespace nearfork::model {

namespace {
constexpr timestamp time_gap = 256;  // room for eight insertions between any two messages
}

memory::memory(region& r) : region_(r), by_word_(region::words(), no_location) {}

void memory::clear(machine m) {
  machine_ = m;
  journal_.roll_back(0);
  views_.clear();
  // Locations keep their numbers from run to run, so that what was learned about them holds.
  for (auto& l : locations_) *l = location{};
  threads_ = {};
  fence_view_ = view_table::bottom;
  spurious_left_ = 0;
  error_.clear();
}

void memory::forget_locations() {
  journal_.roll_back(0);
  for (const void* p : addresses_) by_word_[region_.word(p)] = no_location;
  locations_.clear();
  addresses_.clear();
}

void memory::fail(std::string text) {
  if (error_.empty()) error_ = std::move(text);
}

// ---------------------------------------------------------------------------------------------
// Lifetimes

location_id memory::construct(unsigned thread, const void* p, location::state what,
                              std::uint64_t value, value_info info) {
  if (!region_.contains(p)) {
    fail(
        "an atomic or plain object outside of the explored memory: make it in the program's "
        "shared state, with new, or on a thread's stack");
    return no_location;
  }
  location_id& slot = by_word_[region_.word(p)];
  if (slot == no_location) {
    slot = static_cast<location_id>(locations_.size());
    locations_.push_back(std::make_unique<location>());
    addresses_.push_back(p);
  }
  location& l = *locations_[slot];
  // An earlier object at this address may still be in views: go on after its times.
  const timestamp last = l.count > 0 ? l.messages[l.count - 1u].time : timestamp{0};
  const timestamp time =
      l.count > 0 && weak() ? static_cast<timestamp>(last + time_gap) : timestamp{0};
  if (time < last) fail("too many objects at one address");
  journal_.set(l.what, what);
  journal_.set(l.count, 1);
  journal_.set(l.writer, static_cast<std::uint8_t>(thread));
  journal_.set(l.writer_clock, views_.clock(threads_[thread].current, thread));
  journal_.set(l.info, info);
  journal_.set(l.futex_time, time);
  journal_.set(l.digest, what == location::state::plain ? value : 0);
  journal_.set(l.accessed, {});
  journal_.replace(l.messages[0],
                   message{value, view_table::bottom, time, static_cast<std::uint8_t>(thread), 0});
  return slot;
}

void memory::destroy(unsigned thread, location_id loc, const char* how) {
  location& l = *locations_[loc];
  if (l.what == location::state::dead) fail(std::string("destroyed twice (") + how + ")");
  const view_id known = threads_[thread].current;
  for (unsigned t = 0; t < max_threads; ++t)
    if (t != thread && l.accessed[t] > views_.clock(known, t))
      fail(std::string(how) + " while thread " + std::to_string(t) +
           "'s last access does not happen before it");
  if (l.writer != thread && l.writer_clock > views_.clock(known, l.writer))
    fail(std::string(how) + " while thread " + std::to_string(l.writer) +
         "'s construction or last write does not happen before it");
  journal_.set(l.what, location::state::dead);
}

void memory::destroy_range(unsigned thread, const void* p, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(p);
  for (std::size_t offset = 0; offset < bytes; offset += 8) {
    const location_id loc = by_word_[region_.word(at + offset)];
    if (loc != no_location && (locations_[loc]->what == location::state::atomic ||
                               locations_[loc]->what == location::state::plain))
      destroy(thread, loc, "freed");
  }
}

location_id memory::find(const void* p) {
  const location_id loc = known(p);
  if (loc == no_location || locations_[loc]->what == location::state::unused) {
    fail("access to memory where no object was constructed");
    return no_location;
  }
  return loc;
}

void memory::check_access(unsigned thread, location_id loc) {
  location& l = *locations_[loc];
  const view_id known = threads_[thread].current;
  if (l.what == location::state::dead) {
    fail("use after free");
    return;
  }
  if (l.what == location::state::atomic && l.writer_clock > views_.clock(known, l.writer))
    fail("race: the object's construction by thread " + std::to_string(l.writer) +
         " does not happen before this access");
  journal_.set(l.accessed[thread], views_.clock(known, thread));
}

void memory::plain_access(unsigned thread, location_id loc, const char* what) {
  location& l = *locations_[loc];
  check_access(thread, loc);
  if (l.writer_clock > views_.clock(threads_[thread].current, l.writer))
    fail(std::string("race: plain ") + what + ", and thread " + std::to_string(l.writer) +
         "'s write does not happen before it");
}

void memory::plain_read(unsigned thread, location_id loc) { plain_access(thread, loc, "read"); }

void memory::plain_write(unsigned thread, location_id loc, std::uint64_t digest) {
  location& l = *locations_[loc];
  plain_access(thread, loc, "write");
  const view_id known = threads_[thread].current;
  for (unsigned t = 0; t < max_threads; ++t)
    if (t != thread && l.accessed[t] > views_.clock(known, t))
      fail("race: plain write, and thread " + std::to_string(t) +
           "'s last access does not happen before it");
  journal_.set(l.writer, static_cast<std::uint8_t>(thread));
  journal_.set(l.writer_clock, views_.clock(known, thread));
  journal_.set(l.digest, digest);
}

// ---------------------------------------------------------------------------------------------
// Choices

unsigned memory::floor(unsigned thread, const location& l, location_id loc) const noexcept {
  const timestamp known = views_.at(threads_[thread].current, loc);
  unsigned first = l.count - 1u;
  while (first > 0 && l.messages[first - 1u].time >= known) --first;
  return first;
}

const thread_memory::buffered* memory::forwarded(unsigned thread, location_id loc) const noexcept {
  const thread_memory& t = threads_[thread];
  for (unsigned i = t.buffered_count; i > 0; --i)
    if (t.buffer[i - 1].location == loc) return &t.buffer[i - 1];
  return nullptr;
}

template <class Visit>
void memory::each_choice(unsigned thread, const operation& o, Visit visit) const {
  const thread_memory& t = threads_[thread];
  if (o.kind == op::heavy_wait) {
    if (t.heavy_waits == 0) visit(0u, way::normal);
    return;
  }
  if (machine_ == machine::total_store_order && t.buffered_count > 0) {
    const bool drains = o.kind == op::modify || o.kind == op::compare_exchange ||
                        o.kind == op::heavy || o.kind == op::futex_wait ||
                        o.kind == op::futex_wake ||
                        (o.kind == op::fence && o.order == std::memory_order_seq_cst);
    if (drains) return;
  }
  if (o.location == no_location) {
    visit(0u, way::normal);
    return;
  }
  const location& l = *locations_[o.location];
  if (l.count == 0) {  // dead or never made: perform() says so
    visit(0u, way::normal);
    return;
  }
  unsigned first = weak() ? floor(thread, l, o.location) : l.count - 1u;
  if (o.kind == op::futex_wait)
    while (l.messages[first].time < l.futex_time) ++first;
  for (unsigned i = l.count; i-- > first;) {
    switch (o.kind) {
      case op::store:
      case op::modify:
        if (may_follow(l, i) && visit(i, way::normal)) return;
        break;
      case op::compare_exchange:
        if (l.messages[i].value != o.expected) {
          if (visit(i, way::fails)) return;
        } else {
          if (may_follow(l, i) && visit(i, way::normal)) return;
          if (o.weak && spurious_left_ > 0 && visit(i, way::spurious)) return;
        }
        break;
      case op::futex_wait:
        if (l.messages[i].value != o.expected) {
          if (visit(i, way::fails)) return;
        } else {
          if (visit(i, way::normal)) return;
          if (spurious_left_ > 0 && visit(i, way::spurious)) return;
        }
        break;
      case op::futex_wake:
        visit(i, way::normal);
        return;
      default:
        if (visit(i, way::normal)) return;
    }
  }
}

unsigned memory::choices(unsigned thread, const operation& o) const {
  unsigned count = 0;
  each_choice(thread, o, [&count](unsigned, way) {
    ++count;
    return false;
  });
  return count;
}

// ---------------------------------------------------------------------------------------------
// Effects

void memory::tick(unsigned thread) {
  thread_memory& t = threads_[thread];
  const unsigned next = views_.clock(t.current, thread) + 1u;
  if (next > std::numeric_limits<std::uint8_t>::max()) {
    fail("too many releases in one thread");
    return;
  }
  t.current = views_.with_clock(t.current, thread, static_cast<std::uint8_t>(next));
  t.acquired = views_.with_clock(t.acquired, thread, static_cast<std::uint8_t>(next));
}

void memory::read(unsigned thread, location_id loc, const message& m, bool acquire) {
  thread_memory& t = threads_[thread];
  if (weak()) {
    t.current = views_.with(t.current, loc, m.time);
    t.acquired = views_.with(t.acquired, loc, m.time);
  }
  t.acquired = views_.join(t.acquired, m.view);
  if (acquire || !weak()) t.current = views_.join(t.current, m.view);
}

void memory::insert(unsigned thread, location_id loc, unsigned after, std::uint64_t value,
                    view_id view, bool attached, bool release) {
  location& l = *locations_[loc];
  thread_memory& t = threads_[thread];
  message m{value, view, 0, static_cast<std::uint8_t>(thread),
            attached ? std::uint8_t{1} : std::uint8_t{0}};
  journal_.set(l.version, static_cast<std::uint16_t>(l.version + 1));
  if (!weak()) {  // only the newest message can be read
    journal_.replace(l.messages[0], m);
  } else {
    if (l.count == location::max_messages) {
      fail("too many messages at one location for the explorer");
      return;
    }
    const unsigned before = l.messages[after].time;
    const bool last = after + 1u == l.count;
    const unsigned time = last ? before + time_gap : (before + l.messages[after + 1u].time) / 2;
    if (time == before || time > std::numeric_limits<timestamp>::max()) {
      fail("the explorer ran out of time stamps at one location");
      return;
    }
    m.time = static_cast<timestamp>(time);
    m.view = views_.with(m.view, loc, m.time);
    for (unsigned i = l.count; i > after + 1u; --i)
      journal_.replace(l.messages[i], l.messages[i - 1u]);
    journal_.replace(l.messages[after + 1u], m);
    journal_.set(l.count, static_cast<std::uint8_t>(l.count + 1));
    t.current = views_.with(t.current, loc, m.time);
    t.acquired = views_.with(t.acquired, loc, m.time);
  }
  if (release) tick(thread);
}

void memory::full_fence(unsigned thread) {
  thread_memory& t = threads_[thread];
  t.current = t.acquired;
  journal_.set(fence_view_, views_.join(fence_view_, views_.coherence_of(t.current)));
  t.current = views_.join(t.current, fence_view_);
  t.acquired = t.current;
  t.released = t.current;
  t.light = views_.coherence_of(t.current);
  tick(thread);
}

void memory::do_fence(unsigned thread, std::memory_order order) {
  if (!weak()) return;
  thread_memory& t = threads_[thread];
  if (order == std::memory_order_seq_cst) {
    full_fence(thread);
    return;
  }
  if (acquires(order)) t.current = t.acquired;
  if (releases(order)) {
    t.released = t.current;
    tick(thread);
  }
}

void memory::do_light(unsigned thread) {
  if (!weak()) return;
  thread_memory& t = threads_[thread];
  t.current = views_.join(t.current, t.pending);
  t.acquired = views_.join(t.acquired, t.pending);
  t.released = views_.join(t.released, t.pending);
  t.pending = view_table::bottom;
  t.light = views_.coherence_of(t.acquired);
}

void memory::do_store(unsigned thread, const operation& o, unsigned index, effect& e) {
  thread_memory& t = threads_[thread];
  if (machine_ == machine::total_store_order) {
    if (t.buffered_count == thread_memory::max_buffered) {
      fail("a store buffer is too long for the explorer");
      return;
    }
    t.buffer[t.buffered_count++] = {o.operand, t.current, o.location, o.site};
    tick(thread);
    return;
  }
  const bool release = releases(o.order) || !weak();
  e.newer = static_cast<std::uint8_t>(locations_[o.location]->count - 1u - index);
  insert(thread, o.location, index, o.operand, release ? t.current : t.released, false, release);
}

void memory::do_modify(unsigned thread, const operation& o, unsigned index, std::uint64_t value) {
  const message from = locations_[o.location]->messages[index];
  read(thread, o.location, from, acquires(o.order));
  const bool release = releases(o.order) || !weak();
  thread_memory& t = threads_[thread];
  // The release sequence of the message that was read goes on: its view is passed along.
  const view_id view = views_.join(release ? t.current : t.released, from.view);
  insert(thread, o.location, index, value, view, true, release);
}

std::uint64_t memory::apply(const operation& o, std::uint64_t old, value_info info) const noexcept {
  std::uint64_t result = o.operand;
  switch (o.function) {
    case rmw::exchange:
      break;
    case rmw::add:
      result = old + o.operand;
      break;
    case rmw::sub:
      result = old - o.operand;
      break;
    case rmw::bit_or:
      result = old | o.operand;
      break;
    case rmw::bit_and:
      result = old & o.operand;
      break;
  }
  return info.bytes == 8 ? result : result & ((std::uint64_t{1} << (8 * info.bytes)) - 1);
}

memory::effect memory::perform(unsigned thread, const operation& o, unsigned choice) {
  effect e;
  if (o.location != no_location) {
    check_access(thread, o.location);
    if (!error_.empty()) return e;
  }
  unsigned index = 0;
  way how = way::normal;
  each_choice(thread, o, [&](unsigned i, way w) {
    index = i;
    how = w;
    return choice-- == 0;
  });
  switch (o.kind) {
    case op::fence:
      do_fence(thread, o.order);
      return e;
    case op::light:
      do_light(thread);
      return e;
    case op::heavy_wait:
      if (weak()) full_fence(thread);
      return e;
    case op::load:
    case op::store:
    case op::modify:
    case op::compare_exchange:
    case op::futex_wait:
    case op::futex_wake:
      break;
    default:
      return e;
  }
  location& l = *locations_[o.location];
  if (o.kind == op::store) {
    e.wrote = o.operand;
    do_store(thread, o, index, e);
    return e;
  }
  if (o.kind == op::futex_wake) {
    journal_.set(l.futex_time,
                 std::max(l.futex_time, views_.at(threads_[thread].current, o.location)));
    return e;
  }
  if (const auto* own = forwarded(thread, o.location); own && o.kind == op::load) {
    e.value = own->value;
    return e;
  }
  const message m = l.messages[index];
  e.value = m.value;
  e.newer = static_cast<std::uint8_t>(l.count - 1u - index);
  e.success = how == way::normal;
  if (how == way::spurious)
    journal_.set(spurious_left_, static_cast<std::uint8_t>(spurious_left_ - 1));
  if (o.kind == op::load) {
    read(thread, o.location, m, acquires(o.order));
  } else if (o.kind == op::futex_wait) {
    read(thread, o.location, m, false);
  } else if (o.kind == op::modify) {
    e.wrote = apply(o, m.value, l.info);
    do_modify(thread, o, index, e.wrote);
  } else if (how == way::normal) {
    e.wrote = o.operand;
    do_modify(thread, o, index, o.operand);
  } else {
    read(thread, o.location, m, acquires(o.failure));
  }
  return e;
}

// ---------------------------------------------------------------------------------------------
// Barriers, store buffers, threads

void memory::heavy_begin(unsigned thread, unsigned others) {
  if (weak()) full_fence(thread);
  threads_[thread].heavy_waits =
      machine_ == machine::sequential ? std::uint8_t{0} : static_cast<std::uint8_t>(others);
}

bool memory::deliverable(unsigned from, unsigned to) const noexcept {
  return ((threads_[from].heavy_waits >> to) & 1u) != 0 && threads_[to].buffered_count == 0;
}

void memory::deliver(unsigned from, unsigned to) {
  thread_memory& t = threads_[to];
  threads_[from].heavy_waits &= static_cast<std::uint8_t>(~(1u << to));
  if (!weak()) return;
  // As if the target's last light barrier had been a fence before, and its next will be one after.
  journal_.set(fence_view_, views_.join(fence_view_, t.light));
  t.pending = views_.join(t.pending, fence_view_);
}

void memory::flush(unsigned thread) {
  thread_memory& t = threads_[thread];
  const thread_memory::buffered b = t.buffer[0];
  for (unsigned i = 1; i < t.buffered_count; ++i) t.buffer[i - 1u] = t.buffer[i];
  --t.buffered_count;
  t.buffer[t.buffered_count] = {};
  if (locations_[b.location]->what != location::state::dead)
    insert(thread, b.location, 0, b.value, b.view, false, false);
}

void memory::begin_main() {
  threads_[0] = {};
  threads_[0].current = views_.with_clock(view_table::bottom, 0, 1);
  threads_[0].acquired = threads_[0].current;
}

void memory::fork(unsigned parent, unsigned child) {
  thread_memory& c = threads_[child];
  c = {};
  c.current = views_.with_clock(threads_[parent].current, child, 1);
  c.acquired = c.current;
}

void memory::learn(unsigned thread, unsigned from) {
  thread_memory& t = threads_[thread];
  t.current = views_.join(t.current, threads_[from].current);
  t.acquired = views_.join(t.acquired, t.current);
}

std::uint16_t memory::seen(unsigned thread, location_id loc) const noexcept {
  return weak() ? views_.at(threads_[thread].current, loc) : locations_[loc]->version;
}

std::uint16_t memory::newest(location_id loc) const noexcept {
  const location& l = *locations_[loc];
  return weak() ? l.messages[l.count - 1u].time : l.version;
}

void memory::hash(hash128& h, unsigned threads, unsigned readers) const {
  for (unsigned i = 0; i < threads; ++i) {
    const thread_memory& t = threads_[i];
    h.add(t.current | (std::uint64_t{t.acquired} << 32));
    h.add(t.released | (std::uint64_t{t.light} << 32));
    h.add(t.pending | (std::uint64_t{t.heavy_waits} << 32) |
          (std::uint64_t{t.buffered_count} << 40));
    for (unsigned b = 0; b < t.buffered_count; ++b) {
      h.add(t.buffer[b].value);
      h.add(t.buffer[b].view | (std::uint64_t{t.buffer[b].location} << 32));
    }
  }
  h.add(fence_view_ | (std::uint64_t{spurious_left_} << 32));
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const location& l = *locations_[i];
    if (l.what == location::state::unused) continue;
    h.add(i | (static_cast<std::uint64_t>(l.what) << 16) | (std::uint64_t{l.writer} << 32) |
          (std::uint64_t{l.writer_clock} << 40) | (std::uint64_t{l.futex_time} << 48));
    if (l.what == location::state::dead) continue;
    std::uint64_t clocks;
    std::memcpy(&clocks, l.accessed.data(), 8);
    h.add(clocks);
    if (l.what == location::state::plain) {
      h.add(l.digest);
      continue;
    }
    if (!weak()) h.add(l.version);
    // Messages below everybody's floor can be neither read nor followed.
    unsigned first = 0;
    if (weak()) {
      first = l.count - 1u;
      for (unsigned t = 0; t < threads; ++t)
        if ((readers >> t) & 1u) first = std::min(first, floor(t, l, static_cast<location_id>(i)));
    }
    for (unsigned m = first; m < l.count; ++m) {
      h.add(l.messages[m].value);
      h.add(l.messages[m].view | (std::uint64_t{l.messages[m].time} << 32) |
            (std::uint64_t{l.messages[m].attached} << 48));
    }
  }
}

}  // namespace nearfork::model
