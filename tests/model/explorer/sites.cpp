#include "sites.hpp"

#include <cstring>

namespace nearfork::model {

std::string_view call_site::file_name() const noexcept {
  const std::string_view path = file;
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string call_site::place() const {
  return std::string(file_name()) + ":" + std::to_string(line);
}

site_id site_table::visit(const where& place, const operation& shape) {
  // Templates are compiled once a translation unit: the same file can come under several
  // pointers, so the pointer is only the first key and the name decides.
  const std::uint64_t key = multiply_mix(reinterpret_cast<std::uintptr_t>(place.file_name()),
                                         (std::uint64_t{place.line()} << 32) | place.column()) ^
                            (static_cast<std::uint64_t>(shape.kind) << 1);
  site_id id;
  if (const std::uint32_t known = by_place_.find(key); known != flat_map::none) {
    id = static_cast<site_id>(known);
  } else {
    id = 0;
    for (std::size_t i = 1; i < sites_.size(); ++i) {
      const call_site& s = sites_[i];
      if (s.line == place.line() && s.column == place.column() && s.kind == shape.kind &&
          s.file == place.file_name())
        id = static_cast<site_id>(i);
    }
    if (id == 0) {
      id = static_cast<site_id>(sites_.size());
      sites_.push_back({place.file_name(), place.line(), place.column(), shape.kind, shape.function,
                        shape.order, shape.failure, 0});
      if (names(mutation_, sites_.back())) mutated_ = id;
    }
    by_place_.insert(key, id);
  }
  ++sites_[id].executed;
  return id;
}

void site_table::forget_counts() noexcept {
  for (call_site& s : sites_) s.executed = 0;
}

bool site_table::names(const mutation& m, const call_site& s) const noexcept {
  return m.what != mutation::change::none && s.line == m.line && s.column == m.column &&
         s.file_name() == m.file;
}

void site_table::set_mutation(const mutation& m) {
  mutation_ = m;
  mutated_ = 0xffff;
  for (std::size_t i = 1; i < sites_.size(); ++i)
    if (names(m, sites_[i])) mutated_ = static_cast<site_id>(i);
}

bool site_table::mutate_this(operation& o) const noexcept {
  switch (mutation_.what) {
    case mutation::change::none:
      break;
    case mutation::change::order:
      o.order = mutation_.order;
      break;
    case mutation::change::failure_order:
      o.failure = mutation_.order;
      break;
    case mutation::change::remove:
      return false;
  }
  return true;
}

std::string mutation::describe(const call_site& site) const {
  std::string text = site.place() + " ";
  text += site.kind == op::modify ? name_of(site.function) : name_of(site.kind);
  switch (what) {
    case change::none:
      return text;
    case change::remove:
      return text + " removed";
    case change::order:
      return text + " " + name_of(site.order) + " -> " + name_of(order);
    case change::failure_order:
      return text + " on failure " + name_of(site.failure) + " -> " + name_of(order);
  }
  return text;
}

std::vector<mutation> weakenings(const call_site& site) {
  using change = mutation::change;
  std::vector<mutation> list;
  const auto add = [&](change what, std::memory_order order) {
    list.push_back({what, std::string(site.file_name()), site.line, site.column, order});
  };
  // The next weaker orders. A load has no release half and a store no acquire half.
  const auto weaker = [&](change what, std::memory_order order, bool reads, bool writes) {
    switch (order) {
      case std::memory_order_seq_cst:
        if (reads && writes)
          add(what, std::memory_order_acq_rel);
        else
          add(what, reads ? std::memory_order_acquire : std::memory_order_release);
        break;
      case std::memory_order_acq_rel:
        add(what, std::memory_order_acquire);
        add(what, std::memory_order_release);
        break;
      case std::memory_order_acquire:
      case std::memory_order_consume:
      case std::memory_order_release:
        add(what, std::memory_order_relaxed);
        break;
      case std::memory_order_relaxed:
        break;
    }
  };
  switch (site.kind) {
    case op::load:
      weaker(change::order, site.order, true, false);
      break;
    case op::store:
      weaker(change::order, site.order, false, true);
      break;
    case op::modify:
      weaker(change::order, site.order, true, true);
      break;
    case op::compare_exchange:
      weaker(change::order, site.order, true, true);
      weaker(change::failure_order, site.failure, true, false);
      break;
    case op::fence:
      if (site.order == std::memory_order_seq_cst) add(change::order, std::memory_order_acq_rel);
      add(change::remove, std::memory_order_relaxed);
      break;
    case op::light:
    case op::heavy:
      add(change::remove, std::memory_order_relaxed);
      break;
    case op::futex_wake:
      add(change::remove, std::memory_order_relaxed);
      break;
    default:
      break;
  }
  return list;
}

site_table& sites() noexcept {
  static site_table table;
  return table;
}

}  // namespace nearfork::model
