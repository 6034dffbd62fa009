/// \file
/// What machine this is and which part of it is ours: discovery through hwloc, as plain data.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace nearfork {

/// A machine as hwloc describes it, filtered to what placement needs. Immutable and cheap to copy.
class machine {
 public:
  /// The machine this process runs on: hwloc's allowed set, cut to the calling thread's affinity
  /// mask; the cgroup CPU quota is read as well. Loaded once a process (later calls reread the mask
  /// and the quota only). Degrades to one flat node with a warning when discovery fails.
  static machine native();
  /// A foreign machine, planned whole, from an hwloc XML file or a synthetic string.
  /// \param what names the variable or option in errors.
  /// \throws config_error when it is neither.
  static machine from(const std::string& xml_or_synthetic, std::string_view what = "topology");
  /// from(NEARFORK_TOPOLOGY) when that is set and not empty, else native().
  static machine from_environment();

  struct data;
  const data& get() const noexcept { return *data_; }
  explicit machine(std::shared_ptr<const data> d) : data_(std::move(d)) {}

 private:
  std::shared_ptr<const data> data_;
};

}  // namespace nearfork
