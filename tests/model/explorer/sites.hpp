/// @file
/// The call sites of atomic operations: found when they are first executed, counted, and changed
/// one at a time by the mutation harness.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flat_map.hpp"
#include "operation.hpp"

namespace nearfork::model {

struct call_site {
  std::string file;  ///< path as the compiler was given it
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  op kind = op::step;
  rmw function = rmw::exchange;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure = std::memory_order_relaxed;
  std::uint64_t executed = 0;

  std::string_view file_name() const noexcept;  ///< without folders
  std::string place() const;                    ///< deque.hpp:12
};

/// One change of the code. `none` leaves it as it is.
struct mutation {
  enum class change : std::uint8_t { none, order, failure_order, remove };
  change what = change::none;
  std::string file;  ///< file name without folders, line, column: the site
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::memory_order order = std::memory_order_relaxed;

  std::string describe(const call_site& site) const;
};

/// The ways in which a site can be weakened by one step: every order on it, and a fence or barrier
/// first to the next weaker fence, then removed.
std::vector<mutation> weakenings(const call_site& site);

class site_table {
 public:
  /// The id of the place; `kind` and the orders are noted at the first visit.
  site_id visit(const where& place, const operation& shape);

  const call_site& operator[](site_id id) const noexcept { return sites_[id]; }
  const std::vector<call_site>& all() const noexcept { return sites_; }
  void forget_counts() noexcept;

  /// Applies to the site that the mutation names, known already or not.
  void set_mutation(const mutation& m);
  /// Changes the operation if its site is the mutated one; false: leave the operation out.
  bool mutate(operation& o) const noexcept { return o.site != mutated_ || mutate_this(o); }

 private:
  bool mutate_this(operation& o) const noexcept;
  bool names(const mutation& m, const call_site& s) const noexcept;

  std::vector<call_site> sites_{call_site{}};  // 0 is no place
  flat_map by_place_;
  mutation mutation_;
  site_id mutated_ = 0xffff;
};

/// The table of this process.
site_table& sites() noexcept;

}  // namespace nearfork::model
