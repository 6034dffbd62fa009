/// \file
/// Who holds how much memory, and where it turned out to be.
#pragma once

#include <atomic>
#include <cstdint>

namespace nearfork::detail {

/// What an account says at one moment, in bytes.
struct page_totals {
  std::uint64_t bound = 0;      ///< mapped, and the kernel accepted the node
  std::uint64_t unbound = 0;    ///< mapped, where first touch decides: not asked for or refused
  std::uint64_t verified = 0;   ///< of these, seen on the wanted node at the last look
  std::uint64_t elsewhere = 0;  ///< of these, seen on another node at the last look
};

/// Counts bytes of pages for one owner (a pool, a worker, the process); what is counted here is
/// counted in the parent as well. Any thread may count and read. An account must outlive the blocks
/// that are charged to it. All orders are relaxed: these are statistics, nothing is decided by
/// them.
class page_account {
 public:
  explicit page_account(page_account* parent) noexcept : parent_(parent) {}
  page_account(const page_account&) = delete;
  page_account& operator=(const page_account&) = delete;

  /// Pages came (positive) or went (negative).
  void count_mapped(bool bound, std::int64_t bytes) noexcept {
    (bound ? bound_ : unbound_).fetch_add(bytes, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->count_mapped(bound, bytes);
  }
  /// A look at pages changed what is known of them by these many bytes.
  void count_seen(std::int64_t verified, std::int64_t elsewhere) noexcept {
    if (verified != 0) verified_.fetch_add(verified, std::memory_order_relaxed);
    if (elsewhere != 0) elsewhere_.fetch_add(elsewhere, std::memory_order_relaxed);
    if (parent_ != nullptr) parent_->count_seen(verified, elsewhere);
  }
  page_totals totals() const noexcept {
    const auto read = [](const std::atomic<std::int64_t>& a) {
      const auto n = a.load(std::memory_order_relaxed);
      return n > 0 ? static_cast<std::uint64_t>(n) : 0;
    };
    return {read(bound_), read(unbound_), read(verified_), read(elsewhere_)};
  }

 private:
  page_account* parent_;
  std::atomic<std::int64_t> bound_{0};
  std::atomic<std::int64_t> unbound_{0};
  std::atomic<std::int64_t> verified_{0};
  std::atomic<std::int64_t> elsewhere_{0};
};

/// Everything that allocate_pages has mapped in this process and not given back.
page_account& process_pages() noexcept;

}  // namespace nearfork::detail
