#include "src/hwloc_kinds.hpp"

#include <hwloc/cpukinds.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <string_view>

namespace nearfork::detail {
namespace {

// Cores of one design differ by a few percent in their highest frequency (favoured cores), cores
// of different designs by a quarter and more; Linux' capacity spreads further. The bounds lie
// between.
constexpr double slow_frequency = 0.87;
constexpr double slow_capacity = 0.75;

struct kind_info {
  hwloc_bitmap_t cpus = nullptr;
  int efficiency = -1;       // hwloc's rank, higher is faster
  std::string type;          // "IntelCore", "IntelAtom", ...
  double capacity = 0;       // LinuxCapacity
  double max_frequency = 0;  // MHz
  core_kind kind = core_kind::uniform;
};

double number(const char* text) {
  double value = 0;
  const auto result = std::from_chars(text, text + std::strlen(text), value);
  return result.ec == std::errc{} && value > 0 ? value : 0;
}

// Marks the kinds slower than `bound` times the fastest; false when the measure is missing.
template <class Measure>
bool classify(std::vector<kind_info>& kinds, double bound, Measure measure) {
  double fastest = 0;
  for (const kind_info& kind : kinds) {
    if (measure(kind) <= 0) return false;
    fastest = std::max(fastest, measure(kind));
  }
  for (kind_info& kind : kinds) {
    kind.kind = measure(kind) < bound * fastest ? core_kind::efficient : core_kind::performance;
  }
  return true;
}

void classify(std::vector<kind_info>& kinds) {
  const bool typed = std::all_of(kinds.begin(), kinds.end(),
                                 [](const kind_info& kind) { return !kind.type.empty(); });
  if (typed) {
    for (kind_info& kind : kinds) {
      kind.kind = kind.type == "IntelAtom" ? core_kind::efficient : core_kind::performance;
    }
  } else if (!classify(kinds, slow_capacity, [](const kind_info& k) { return k.capacity; }) &&
             !classify(kinds, slow_frequency, [](const kind_info& k) { return k.max_frequency; }) &&
             kinds.front().efficiency >= 0) {
    // Nothing measurable: hwloc's own ranking, the highest first.
    classify(kinds, 1.0, [](const kind_info& k) { return k.efficiency + 1.0; });
  }
  const auto is = [](core_kind wanted) {
    return [wanted](const kind_info& kind) { return kind.kind == wanted; };
  };
  // One kind alone is no hybrid.
  if (!std::any_of(kinds.begin(), kinds.end(), is(core_kind::performance)) ||
      !std::any_of(kinds.begin(), kinds.end(), is(core_kind::efficient))) {
    for (kind_info& kind : kinds) kind.kind = core_kind::uniform;
  }
}

}  // namespace

std::string memory_kind(hwloc_obj_t node) {
  std::string name = node->subtype != nullptr ? node->subtype : "";
  for (const char* key : {"MemoryTier", "DAXType"}) {
    const char* value = hwloc_obj_get_info_by_name(node, key);
    if (name.empty() && value != nullptr) name = value;
  }
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto has = [&name](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("hbm") || has("mcdram")) return "hbm";
  if (has("cxl")) return "cxl";
  if (has("gpu")) return "gpu";
  if (has("nvm") || has("pmem")) return "nvm";
  if (has("dram")) return "dram";
  return "unknown";
}

int memory_kind_rank(const std::string& kind) noexcept {
  if (kind == "dram" || kind == "unknown") return 0;
  if (kind == "hbm") return 1;
  if (kind == "cxl") return 2;
  if (kind == "nvm") return 3;
  return 4;
}

std::vector<core_kind> core_kinds_by_pu(hwloc_topology_t topology) {
  const int pus = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
  std::vector<core_kind> result(static_cast<std::size_t>(pus), core_kind::uniform);
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  if (count < 2) return result;
  std::vector<kind_info> kinds;
  for (int i = 0; i < count; ++i) {
    kind_info kind;
    kind.cpus = hwloc_bitmap_alloc();
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (kind.cpus != nullptr &&
        hwloc_cpukinds_get_info(topology, static_cast<unsigned>(i), kind.cpus, &kind.efficiency,
                                &infos, &info, 0) == 0) {
      for (unsigned k = 0; k < infos; ++k) {
        if (std::strcmp(info[k].name, "CoreType") == 0) kind.type = info[k].value;
        if (std::strcmp(info[k].name, "LinuxCapacity") == 0) kind.capacity = number(info[k].value);
        if (std::strcmp(info[k].name, "FrequencyMaxMHz") == 0) {
          kind.max_frequency = number(info[k].value);
        }
      }
    }
    kinds.push_back(std::move(kind));
  }
  classify(kinds);
  for (kind_info& kind : kinds) {
    if (kind.cpus == nullptr) continue;
    for (int i = 0; i < pus; ++i) {
      const hwloc_obj_t pu =
          hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, static_cast<unsigned>(i));
      if (hwloc_bitmap_isset(kind.cpus, pu->os_index) != 0) {
        result[static_cast<std::size_t>(i)] = kind.kind;
      }
    }
    hwloc_bitmap_free(kind.cpus);
  }
  return result;
}

}  // namespace nearfork::detail
