#include "src/native.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <nearfork/detail/affinity.hpp>
#include <nearfork/detail/cpu_list.hpp>
#include <string_view>
#include <thread>

#include "src/hwloc_load.hpp"
#include "src/hwloc_read.hpp"
#include "src/kernel_nodes.hpp"

namespace nearfork::detail {
namespace {

std::vector<std::size_t> mask_of(const native_sources& sources) {
  if (sources.affinity) return *sources.affinity;
  if (std::optional<std::vector<std::size_t>> mask = thread_affinity()) return std::move(*mask);
  return {};
}

// The CPUs to plan on when hwloc gives none.
std::vector<std::size_t> cpus_without_hwloc(const native_sources& sources) {
  std::vector<std::size_t> cpus = mask_of(sources);
  if (cpus.empty()) {
    const std::size_t count = std::max(1U, std::thread::hardware_concurrency());
    for (std::size_t cpu = 0; cpu < count; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::size_t allowed_count(const machine::data& data) {
  return static_cast<std::size_t>(std::count_if(data.pus.begin(), data.pus.end(),
                                                [](const pu_data& pu) { return pu.allowed; }));
}

void warn_about_offline(machine::data& data, const native_sources& sources) {
  const std::vector<std::size_t> offline = read_offline_cpus(sources.kernel_cpus);
  if (offline.empty()) return;
  data.warnings.push_back("some CPUs are offline and not used: " + format_cpu_list(offline));
}

void warn_about_slurm(machine::data& data) {
  const char* text = std::getenv("SLURM_CPUS_PER_TASK");
  if (text == nullptr) return;
  const std::string_view value = text;
  std::size_t promised = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), promised);
  if (error != std::errc{} || end != value.data() + value.size()) return;
  const std::size_t allowed = allowed_count(data);
  if (promised <= allowed) return;
  data.warnings.push_back("SLURM_CPUS_PER_TASK promises " + std::string(value) +
                          " CPUs but this process may use only " + std::to_string(allowed) +
                          ": pass --cpus-per-task=" + std::string(value) +
                          " to srun itself (or set SRUN_CPUS_PER_TASK)");
}

}  // namespace

machine::data discover(const native_sources& sources) {
  std::string reason;
  try {
    const topology_ptr topology = sources.load ? sources.load() : load_native_topology();
    const bool here =
        sources.load ? sources.is_this_system : hwloc_topology_is_thissystem(topology.get()) != 0;
    const std::vector<kernel_node> kernel =
        here ? read_kernel_nodes(sources.kernel_nodes) : std::vector<kernel_node>{};
    machine::data data = read_topology(topology.get(), kernel);
    // hwloc's own variables (HWLOC_XMLFILE, HWLOC_SYNTHETIC) can put another machine in place.
    data.foreign = !here;
    if (!here) warn_about_left_out(topology.get(), data);
    data.source = here ? "native" : "hwloc environment";
    return data;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    reason = e.what();
  }
  machine::data data = flat_machine(cpus_without_hwloc(sources));
  data.source = "native";
  data.warnings.push_back("discovery failed (" + reason +
                          "): the machine is treated as one flat node");
  return data;
}

void apply_limits(machine::data& data, const native_sources& sources) {
  if (data.foreign) return;
  const std::vector<std::size_t> mask = mask_of(sources);
  if (!mask.empty()) {
    for (pu_data& pu : data.pus) {
      pu.allowed = pu.allowed && std::binary_search(mask.begin(), mask.end(), pu.os_id);
    }
    if (allowed_count(data) == 0) {
      // What hwloc shows and where the kernel lets us run have nothing in common: the mask wins.
      machine::data flat = flat_machine(mask);
      flat.source = data.source;
      flat.warnings = std::move(data.warnings);
      data = std::move(flat);
      data.warnings.push_back(
          "none of the CPUs that hwloc shows is in this thread's affinity mask: the machine is "
          "treated as one flat node of the mask's CPUs");
    }
  }
  warn_about_offline(data, sources);
  cpu_quota quota = read_cpu_quota(sources.cgroup);
  data.quota = quota.cpus;
  data.quota_source = std::move(quota.source);
  data.warnings.insert(data.warnings.end(), quota.warnings.begin(), quota.warnings.end());
  warn_about_slurm(data);
}

}  // namespace nearfork::detail
