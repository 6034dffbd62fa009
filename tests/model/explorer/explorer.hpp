/// @file
/// The search: depth first over all steps that threads can take and all values that the memory
/// model lets them read. Backtracking puts back a copy of the program's memory and stacks, so
/// nothing is executed twice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memo.hpp"
#include "memory.hpp"
#include "nearfork_model/program.hpp"
#include "region.hpp"
#include "sites.hpp"
#include "trace.hpp"

namespace nearfork::model {

class explorer {
 public:
  static explorer& instance();

  report run(const erased_program& program, const options& how);

  // From inside the explored program ---------------------------------------------------------
  /// Is explored code running (and not the explorer itself)?
  bool inside() const noexcept { return inside_; }
  static bool exploring() noexcept { return inside_; }
  location_id locate(const void* p);
  unsigned thread() const noexcept { return running_; }
  /// Does one operation: at once when no other thread can notice, else when it is this thread's
  /// turn.
  memory::effect operate(operation o, const where& place);
  void construct(const void* p, location::state what, std::uint64_t value, value_info info);
  void destroy(const void* p);
  void plain_access(const void* p, bool write, std::uint64_t digest, const where& place);
  void* allocate(std::size_t bytes, std::size_t alignment);
  void deallocate(void* p);
  void require(bool holds, const char* otherwise, const where& place);
  void cut();
  void record(std::initializer_list<std::int64_t> values);
  bool all_ended() const noexcept { return !asleep_at_end_; }

 private:
  /// The part of a thread that is not memory.
  struct thread_state {
    static constexpr unsigned max_watched = 12;
    struct watched {
      location_id location;
      std::uint16_t version;
      bool operator==(const watched&) const = default;
    };

    operation posted;
    memory::effect result;
    std::uint64_t history = 0;  ///< a hash of all that the thread has learned
    bool finished = false;
    bool woken = false;
    // A loop that waits: what its present round has read, and what the last one had.
    bool watching = false;
    std::uint8_t watched_count = 0;
    std::uint8_t before_count = 0;
    std::array<watched, max_watched> now{};
    std::array<watched, max_watched> before{};
  };

  /// A saved state.
  struct snapshot {
    std::vector<std::byte> bytes;
    std::array<fiber_context, max_threads> fibers;
    std::array<thread_state, max_threads> threads;
    std::array<thread_memory, max_threads> memories;
    std::size_t journal = 0;
    std::size_t trace = 0;
    bool asleep_at_end = false;
  };

  /// What a transition touches, to tell independent ones.
  struct footprint {
    std::uint32_t threads = 0;
    location_id location = no_location;
    bool writes = false;
    bool fence = false;
    bool watches = false;
    bool everything = false;
  };

  /// Counts of complete schedules.
  struct counts {
    std::uint64_t all = 0;
    std::uint64_t failing = 0;
  };

  /// What earlier steps of the search relied on, and what it learned: who uses which location.
  struct knowledge {
    std::uint8_t accessed = 0;
    std::uint8_t written = 0;
    std::uint8_t alone = 0;        ///< mask: the one thread assumed to access it
    std::uint8_t sole_writer = 0;  ///< mask: the one thread assumed to write it
  };

  enum class verdict : std::uint8_t { going, failed, pruned, restart };

  // Transitions: threads, then store buffers, then arrivals of heavy barriers.
  static constexpr unsigned first_flush = max_threads;
  static constexpr unsigned first_deliver = 2 * max_threads;
  static constexpr unsigned transitions = 3 * max_threads;

  void begin(const erased_program& program, const options& how);
  void search();
  counts visit(std::uint32_t sleep, unsigned last);
  counts branch(std::uint32_t sleep, std::uint32_t enabled, unsigned last);
  unsigned ways(unsigned transition) const;
  void take(unsigned transition, unsigned choice);
  void run_thread(unsigned thread, unsigned choice);
  void resume(unsigned thread);
  footprint touched_by(unsigned transition) const;
  static bool conflict(const footprint& a, const footprint& b) noexcept;
  hash128 state_hash() const;
  void save(snapshot& s);
  void restore(const snapshot& s);
  bool others_done(unsigned thread) const noexcept;
  bool only_sleepers_left() const noexcept;
  /// After a step: is there nothing to follow? Adds what ended there.
  bool ended_here(counts& total);
  void note_failure();

  // Fiber side. Explorer code on a fiber's stack runs with inside_ off, so that its own memory
  // does not come from the explored program's.
  class outside {
   public:
    outside() noexcept { inside_ = false; }
    ~outside() { inside_ = true; }
    outside(const outside&) = delete;
    outside& operator=(const outside&) = delete;
  };
  static void thread_entry();
  void body(unsigned thread);
  void suspend();
  void perform(unsigned thread, unsigned choice);
  bool unnoticed(unsigned thread, const operation& o);
  void learn_access(unsigned thread, const operation& o);
  void assume_again();
  void watch(unsigned thread, location_id loc);
  bool pause(unsigned thread);
  void log(unsigned thread, const operation& o, const memory::effect& e);
  unsigned sleepers(location_id loc) const noexcept;
  unsigned wake_choices(const operation& o) const noexcept;
  void wake(const operation& o, unsigned choice, memory::effect& e);
  void check();

  region region_;
  memory memory_{region_};
  memo memo_;
  std::vector<counts> counted_;
  std::vector<knowledge> knowledge_;
  std::uint8_t fencers_ = 0;       ///< threads that use SC fences
  std::uint8_t sole_fencer_ = 0;   ///< assumed to be the only one
  bool heavy_used_ = false;        //
  bool no_heavy_assumed_ = false;  //
  const erased_program* program_ = nullptr;
  options how_;
  report report_;
  std::vector<std::string> names_;
  std::array<fiber_context, max_threads> fibers_{};
  std::array<thread_state, max_threads> threads_{};
  fiber_context host_;
  unsigned count_ = 0;  ///< threads, the main one included
  unsigned running_ = 0;
  /// Explored code is running, and not the explorer. Static, so that the allocation functions can
  /// ask before there is an explorer.
  static inline bool inside_ = false;
  bool gave_up_ = false;
  bool concurrent_ = false;  ///< between the main thread's set-up and its final check
  bool asleep_at_end_ = false;
  verdict verdict_ = verdict::going;
  bool stop_ = false;
  trace trace_;
  std::vector<std::unique_ptr<snapshot>> spare_;
};

}  // namespace nearfork::model
