/// @file
/// The memory model as a machine: locations with their messages, threads with their views, and
/// what each operation may do. README.md of this folder states the semantics and its sources.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "journal.hpp"
#include "nearfork_model/program.hpp"
#include "operation.hpp"
#include "region.hpp"
#include "views.hpp"

namespace nearfork::model {

/// One write.
struct message {
  std::uint64_t value = 0;
  view_id view = 0;           ///< what an acquiring reader learns
  timestamp time = 0;         ///< place in the location's modification order
  std::uint8_t writer = 0;    //
  std::uint8_t attached = 0;  ///< a read-modify-write of the message before: nothing comes between
};

struct location {
  static constexpr unsigned max_messages = 40;
  enum class state : std::uint8_t { unused, atomic, plain, dead };

  state what = state::unused;
  std::uint8_t count = 0;
  std::uint8_t writer = 0;        ///< creator; for plain data the last writer
  std::uint8_t writer_clock = 0;  //
  value_info info{};
  timestamp futex_time = 0;                          ///< what callers of futex_wake have written
  std::uint16_t version = 0;                         ///< counts the writes
  std::uint64_t digest = 0;                          ///< plain data: what is there
  std::array<std::uint8_t, max_threads> accessed{};  ///< clocks of the last accesses
  std::array<message, max_messages> messages{};
};

/// The part of a thread that the memory model knows.
struct thread_memory {
  struct buffered {
    std::uint64_t value;
    view_id view;
    location_id location;
    site_id site;
  };
  static constexpr unsigned max_buffered = 12;

  view_id current = 0;   ///< what the thread knows
  view_id acquired = 0;  ///< what it will know after an acquire fence
  view_id released = 0;  ///< what it knew at its last release fence
  view_id light = 0;     ///< what it had done at its last light barrier
  view_id pending = 0;   ///< what a heavy barrier told it to know after its next light barrier
  std::uint8_t heavy_waits = 0;  ///< mask of threads its heavy barrier has still to reach
  std::uint8_t buffered_count = 0;
  std::array<buffered, max_buffered> buffer{};
};

class memory {
 public:
  explicit memory(region& r);

  void clear(machine m);
  /// Also forgets which addresses were locations: for another program.
  void forget_locations();
  machine kind() const noexcept { return machine_; }

  /// What went wrong first, empty if nothing.
  const std::string& error() const noexcept { return error_; }
  void fail(std::string text);
  void forget_error() { error_.clear(); }

  // Lifetimes.
  location_id construct(unsigned thread, const void* p, location::state what, std::uint64_t value,
                        value_info info);
  void destroy(unsigned thread, location_id loc, const char* how);
  void destroy_range(unsigned thread, const void* p, std::size_t bytes);
  /// The location at the address; no_location after fail().
  location_id find(const void* p);
  /// The location at the address if there ever was one.
  location_id known(const void* p) const noexcept {
    return region_.contains(p) ? by_word_[region_.word(p)] : no_location;
  }

  // Plain data.
  void plain_read(unsigned thread, location_id loc);
  void plain_write(unsigned thread, location_id loc, std::uint64_t digest);

  /// In how many ways the operation can go now; 0: not at all (a buffer must drain first).
  unsigned choices(unsigned thread, const operation& o) const;
  struct effect {
    std::uint64_t value = 0;  ///< read, or written by a store
    std::uint64_t wrote = 0;
    bool success = false;    ///< compare-exchange; futex_wait: fell asleep
    std::uint8_t newer = 0;  ///< messages newer than the one read or placed
  };
  /// Does choice number `choice`, with access checks.
  effect perform(unsigned thread, const operation& o, unsigned choice);

  // Barriers.
  void heavy_begin(unsigned thread, unsigned others);
  bool deliverable(unsigned from, unsigned to) const noexcept;
  void deliver(unsigned from, unsigned to);
  void flush(unsigned thread);

  /// What the main thread knows at the start.
  void begin_main();
  /// `child` begins with all its parent knows; `parent` learns all of a finished child.
  void fork(unsigned parent, unsigned child);
  void learn(unsigned thread, unsigned from);

  /// The newest version of the location that the thread has seen; and the newest there is.
  std::uint16_t seen(unsigned thread, location_id loc) const noexcept;
  std::uint16_t newest(location_id loc) const noexcept;

  /// `readers`: the threads whose floors still matter for which messages can be read.
  void hash(hash128& h, unsigned threads, unsigned readers) const;

  /// How many weak compare-exchanges may still fail, and futex waits return, without a reason.
  void allow_spurious(unsigned count) noexcept {
    spurious_left_ = static_cast<std::uint8_t>(count);
  }

  thread_memory& thread(unsigned t) noexcept { return threads_[t]; }
  const thread_memory& thread(unsigned t) const noexcept { return threads_[t]; }
  std::array<thread_memory, max_threads>& threads() noexcept { return threads_; }
  location& at(location_id loc) noexcept { return *locations_[loc]; }
  const location& at(location_id loc) const noexcept { return *locations_[loc]; }
  const void* address(location_id loc) const noexcept { return addresses_[loc]; }
  std::size_t locations() const noexcept { return locations_.size(); }
  journal& undo() noexcept { return journal_; }
  const view_table& views() const noexcept { return views_; }
  const region& space() const noexcept { return region_; }

 private:
  bool weak() const noexcept { return machine_ == machine::views; }
  unsigned floor(unsigned thread, const location& l, location_id loc) const noexcept;
  bool may_follow(const location& l, unsigned index) const noexcept {
    return index + 1u == l.count || !l.messages[index + 1u].attached;
  }
  const thread_memory::buffered* forwarded(unsigned thread, location_id loc) const noexcept;
  void plain_access(unsigned thread, location_id loc, const char* what);
  void check_access(unsigned thread, location_id loc);
  void read(unsigned thread, location_id loc, const message& m, bool acquire);
  void insert(unsigned thread, location_id loc, unsigned after, std::uint64_t value, view_id view,
              bool attached, bool release);
  void tick(unsigned thread);
  void full_fence(unsigned thread);
  std::uint64_t apply(const operation& o, std::uint64_t old, value_info info) const noexcept;
  enum class way : std::uint8_t { normal, fails, spurious };
  /// Calls visit(message index, way) for each choice until it returns true.
  template <class Visit>
  void each_choice(unsigned thread, const operation& o, Visit visit) const;
  void do_store(unsigned thread, const operation& o, unsigned index, effect& e);
  void do_modify(unsigned thread, const operation& o, unsigned index, std::uint64_t value);
  void do_fence(unsigned thread, std::memory_order order);
  void do_light(unsigned thread);

  region& region_;
  machine machine_ = machine::views;
  view_table views_;
  journal journal_;
  std::vector<location_id> by_word_;
  std::vector<std::unique_ptr<location>> locations_;
  std::vector<const void*> addresses_;
  std::array<thread_memory, max_threads> threads_{};
  view_id fence_view_ = 0;  ///< what all SC fences so far have published
  std::uint8_t spurious_left_ = 0;
  std::string error_;
};

}  // namespace nearfork::model
