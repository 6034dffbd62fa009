/// \file
/// Machines for tests, and what every plan must hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <nearfork/detail/machine_data.hpp>
#include <nearfork/error.hpp>
#include <nearfork/machine.hpp>
#include <nearfork/placement.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "machine_xml.hpp"
#include "src/hwloc_load.hpp"
#include "src/native.hpp"
#include "temp_dir.hpp"

namespace nearfork::tests {

/// A foreign machine from an XML document in memory.
inline machine from_xml(const machine_xml& xml) {
  const support::temp_dir folder;
  return machine::from(folder.write("machine.xml", xml.text()).string());
}

inline placement plan(const machine& m, const plan_options& options = {}) {
  return make_placement(m, options);
}
inline placement plan(const std::string& synthetic, const plan_options& options = {}) {
  return make_placement(machine::from(synthetic), options);
}

/// A machine that is believed to be this one: topology, mask and kernel files of the test's own.
class fake_native {
 public:
  explicit fake_native(const std::string& synthetic) {
    sources_.load = [synthetic] { return detail::load_synthetic_topology(synthetic); };
    use_folder();
  }
  explicit fake_native(const machine_xml& xml) {
    sources_.load = [text = xml.text()] { return detail::load_xml_topology(text); };
    use_folder();
  }

  detail::native_sources& sources() { return sources_; }
  [[nodiscard]] const support::temp_dir& folder() const { return folder_; }

  fake_native& mask(ids cpus) {
    sources_.affinity = std::move(cpus);
    return *this;
  }
  /// A cgroup v2 quota in the kernel's words, such as "150000 100000".
  fake_native& quota(const std::string& cpu_max) {
    folder_.write("proc/cgroup", "0::/job\n");
    folder_.write("fs/job/cpu.max", cpu_max + "\n");
    return *this;
  }
  fake_native& kernel_node(std::size_t id, const std::string& cpus, const std::string& distances) {
    const std::string name = "node/node" + std::to_string(id);
    folder_.write(name + "/cpulist", cpus + "\n");
    folder_.write(name + "/distance", distances + "\n");
    return *this;
  }

  [[nodiscard]] machine get() const {
    auto data = std::make_shared<machine::data>(detail::discover(sources_));
    detail::apply_limits(*data, sources_);
    return machine(std::move(data));
  }

 private:
  void use_folder() {
    const std::string root = folder_.path().string();
    sources_.kernel_nodes = root + "/node";
    sources_.kernel_cpus = root + "/cpu";
    sources_.cgroup = {root + "/proc/cgroup", root + "/proc/mountinfo", root + "/fs"};
    // Everything, unless the test says less.
    ids all;
    for (std::size_t cpu = 0; cpu < 8192; ++cpu) all.push_back(cpu);
    sources_.affinity = std::move(all);
  }

  support::temp_dir folder_;
  detail::native_sources sources_;
};

/// What holds for every plan whatever the machine: workers sit on allowed CPUs and on nodes that
/// have some, and each worker's rings hold every other worker once, never coming nearer again.
inline void expect_sound(const placement& p) {
  ASSERT_FALSE(p.workers.empty());
  ASSERT_EQ(p.victims.size(), p.workers.size());
  ASSERT_LE(p.worker_nodes, p.nodes.size());
  ASSERT_EQ(p.distances.size(), p.nodes.size());
  const std::set<std::size_t> allowed(p.allowed_pus.begin(), p.allowed_pus.end());
  std::set<std::size_t> on_nodes;
  for (node_index n = 0; n < p.nodes.size(); ++n) {
    EXPECT_EQ(n < p.worker_nodes, !p.nodes[n].pus.empty()) << "nodes with CPUs come first";
    for (const std::size_t cpu : p.nodes[n].pus) {
      EXPECT_TRUE(on_nodes.insert(cpu).second) << "CPU " << cpu << " is on two nodes";
    }
  }
  EXPECT_EQ(on_nodes, allowed);
  for (worker_index w = 0; w < p.workers.size(); ++w) {
    const worker_place& place = p.workers[w];
    ASSERT_EQ(place.id, w);
    ASSERT_LT(place.node, p.worker_nodes) << "worker " << w << " sits on a node without CPUs";
    const ids& local = p.nodes[place.node].pus;
    EXPECT_TRUE(std::binary_search(local.begin(), local.end(), place.pu));
    for (const std::size_t cpu : place.binding) EXPECT_TRUE(allowed.contains(cpu));
    EXPECT_FALSE(place.reason.empty());
    EXPECT_EQ(place.reason.find('\n'), std::string::npos);

    const victim_rings& rings = p.victims[w];
    std::vector<worker_index> seen;
    for (const worker_index v : rings.smt) {
      EXPECT_EQ(p.workers[v].core, place.core);
      seen.push_back(v);
    }
    for (const worker_index v : rings.cache) {
      EXPECT_EQ(p.workers[v].cache, place.cache);
      EXPECT_NE(p.workers[v].core, place.core);
      EXPECT_EQ(p.workers[v].node, place.node);
      seen.push_back(v);
    }
    for (const worker_index v : rings.node) {
      EXPECT_EQ(p.workers[v].node, place.node);
      EXPECT_NE(p.workers[v].cache, place.cache);
      seen.push_back(v);
    }
    std::uint64_t distance = p.distances[place.node][place.node];
    bool first = true;
    for (const std::vector<worker_index>& group : rings.remote) {
      ASSERT_FALSE(group.empty());
      const std::uint64_t next = p.distances[place.node][p.workers[group.front()].node];
      if (first) {
        EXPECT_GE(next, distance);
      } else {
        EXPECT_GT(next, distance) << "equal distances belong into one group";
      }
      first = false;
      distance = next;
      for (const worker_index v : group) {
        EXPECT_NE(p.workers[v].node, place.node);
        EXPECT_EQ(p.distances[place.node][p.workers[v].node], distance);
        seen.push_back(v);
      }
    }
    std::sort(seen.begin(), seen.end());
    std::vector<worker_index> others;
    for (worker_index v = 0; v < p.workers.size(); ++v) {
      if (v != w) others.push_back(v);
    }
    ASSERT_EQ(seen, others) << "rings of worker " << w;
  }
}

/// Workers by node, as the plan's nodes.
inline std::vector<std::size_t> workers_by_node(const placement& p) {
  std::vector<std::size_t> count(p.nodes.size());
  for (const worker_place& w : p.workers) ++count[w.node];
  return count;
}

/// The planned CPUs, by worker.
inline ids planned_cpus(const placement& p) {
  ids cpus;
  for (const worker_place& w : p.workers) cpus.push_back(w.pu);
  return cpus;
}

inline ids sorted(ids list) {
  std::sort(list.begin(), list.end());
  return list;
}

inline std::string quoted(const std::string& text) {
  return std::string(1, '\'').append(text).append(1, '\'');
}

/// How many warnings contain \p text.
inline std::size_t warnings_with(const placement& p, const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      p.warnings.begin(), p.warnings.end(),
      [&text](const std::string& warning) { return warning.find(text) != std::string::npos; }));
}

/// The message of the config_error that \p f throws; a failure when it throws none.
template <class F>
std::string config_error_of(F&& f) {
  try {
    f();
  } catch (const config_error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no config_error was thrown";
  return {};
}

}  // namespace nearfork::tests
