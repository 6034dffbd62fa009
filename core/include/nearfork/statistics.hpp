/// \file
/// What a pool has done: counters per worker and in total.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nearfork/indices.hpp>
#include <string_view>
#include <vector>

namespace nearfork {

/// How far a victim is from its thief.
enum class ring : std::uint8_t { smt, cache, node, remote };
inline constexpr std::size_t ring_count = 4;
/// "smt", "cache", "node" or "remote".
std::string_view to_string(ring r) noexcept;

/// Counters of one worker, or the sum over all. All counts since the pool was made or
/// reset_stats().
struct worker_statistics {
  std::uint64_t tasks_run = 0;      ///< tasks finished by this worker, in place or taken
  std::uint64_t tasks_spawned = 0;  ///< tasks this worker made available to others
  std::array<std::uint64_t, ring_count> steals{};          ///< won, by ring
  std::array<std::uint64_t, ring_count> steal_attempts{};  ///< victims looked at, by ring
  std::uint64_t attempts_empty = 0;                        ///< attempts that found nothing
  std::uint64_t lost_races = 0;    ///< attempts beaten by another thief or the owner
  std::uint64_t injected = 0;      ///< tasks taken from injectors
  std::uint64_t parks = 0;         ///< times the worker went to sleep
  std::uint64_t wakeups = 0;       ///< sleepers woken by this worker
  std::uint64_t publications = 0;  ///< times part of the private tail was made public on request
  std::uint64_t revocations = 0;   ///< private tails of others made public by force
  std::chrono::nanoseconds time_searching{0};  ///< looking for work
  std::chrono::nanoseconds time_parked{0};     ///< asleep
  std::chrono::nanoseconds time_busy{0};       ///< the rest
  std::chrono::nanoseconds time_to_quiet{0};   ///< last task's end to sleep, the latest one
  std::uint64_t deque_growths = 0;
  std::uint64_t deque_shrinks = 0;
  std::uint64_t morsels_local = 0;   ///< morsels whose data is on this worker's node
  std::uint64_t morsels_remote = 0;  ///< the others

  std::uint64_t total_steals() const noexcept {
    return steals[0] + steals[1] + steals[2] + steals[3];
  }
  std::uint64_t total_attempts() const noexcept {
    return steal_attempts[0] + steal_attempts[1] + steal_attempts[2] + steal_attempts[3];
  }
};

/// A snapshot of a pool's counters. Taken while the pool works, the numbers of different workers
/// are from slightly different moments.
struct statistics {
  std::vector<worker_statistics> workers;  ///< by worker_index
  worker_statistics total;                 ///< sums; time_to_quiet is the largest
  std::uint64_t bytes_retired = 0;         ///< deque buffers that wait for reclamation
};

}  // namespace nearfork
