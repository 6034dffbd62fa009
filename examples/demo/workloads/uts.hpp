/// \file
/// The demo's tree search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "common/text.hpp"
#include "demo/workload.hpp"
#include "uts/count_parallel.hpp"
#include "uts/count_serial.hpp"
#include "uts/known_trees.hpp"

namespace demo {

class uts_workload final : public workload {
 public:
  /// A published tree.
  explicit uts_workload(const uts::known_tree& known)
      : name_(known.name), published_(known.expected), tree_(known.made_from) {}
  /// A tree made like T1, cut at the height that leaves about \p nodes nodes, and not many more.
  explicit uts_workload(std::uint64_t nodes)
      : name_("made like T1"), tree_(cut_to(uts::known_trees[0], nodes)) {}

  std::string title() const override { return "uts, unbalanced tree search, tree " + name_; }
  std::uint64_t units() const override { return 0; }
  void prepare(nearfork::pool&) override { found_ = {}; }
  void run_serially(progress&) override { found_ = uts::count_serial(tree_); }
  void run_in(nearfork::pool& pool, progress&) override {
    found_ = uts::count_parallel(tree_, pool);
  }
  void keep_result(nearfork::pool&) override { expected_ = published_.value_or(found_); }
  bool same_result(nearfork::pool&) const override { return found_ == expected_; }

  std::string summary(const measured& m) const override {
    return fmt::format("{} nodes, {} leaves, depth {}{}; {:.1f} million nodes a second",
                       common::grouped(found_.nodes), common::grouped(found_.leaves), found_.depth,
                       published_ ? " (as published)" : "",
                       static_cast<double>(found_.nodes) / m.seconds / 1e6);
  }
  void describe(const measured& m, json& object) const override {
    object["tree"] = name_;
    object["nodes"] = found_.nodes;
    object["leaves"] = found_.leaves;
    object["depth"] = found_.depth;
    object["nodes_per_second"] = static_cast<double>(found_.nodes) / m.seconds;
  }

 private:
  static uts::parameters cut_to(const uts::known_tree& known, std::uint64_t nodes) {
    // A level more makes it four times as large, on average.
    const double ratio = static_cast<double>(nodes) / static_cast<double>(known.expected.nodes);
    const double depth =
        known.made_from.d + std::floor(std::log(ratio) / std::log(known.made_from.b));
    uts::parameters p = known.made_from;
    p.d = static_cast<std::uint32_t>(std::max(1.0, depth));
    return p;
  }

  std::string name_;
  std::optional<uts::counts> published_;
  uts::tree tree_;
  uts::counts found_, expected_;
};

}  // namespace demo
