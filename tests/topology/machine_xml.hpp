/// \file
/// Writes hwloc XML documents of machines that no synthetic string can describe.
#pragma once

#include <hwloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nearfork::tests {

using ids = std::vector<std::size_t>;

inline std::string bitmap_text(const std::set<std::size_t>& bits) {
  hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
  for (const std::size_t bit : bits) hwloc_bitmap_set(bitmap, static_cast<unsigned>(bit));
  char* text = nullptr;
  hwloc_bitmap_asprintf(&text, bitmap);
  std::string result = text;
  std::free(text);
  hwloc_bitmap_free(bitmap);
  return result;
}

/// One object and what lies in it.
struct part {
  std::string type;
  std::size_t os_id = 0;
  std::string attributes;  ///< more XML attributes
  std::vector<part> inside;

  [[nodiscard]] std::set<std::size_t> all(std::string_view wanted) const {
    std::set<std::size_t> found;
    if (type == wanted) found.insert(os_id);
    for (const part& p : inside) found.merge(p.all(wanted));
    return found;
  }
};

inline part pu(std::size_t id) { return {"PU", id, "", {}}; }
inline part core(std::size_t id, const ids& pus) {
  part c{"Core", id, "", {}};
  for (const std::size_t p : pus) c.inside.push_back(pu(p));
  return c;
}
inline part package(std::size_t id, std::vector<part> inside) {
  return {"Package", id, "", std::move(inside)};
}
inline part l3(std::vector<part> inside) {
  return {"L3Cache", 0,
          R"(cache_size="16777216" depth="3" cache_linesize="64" cache_associativity="16" )"
          R"(cache_type="0")",
          std::move(inside)};
}
/// A memory node; its CPUs are those of the object it lies in.
inline part node(std::size_t id, std::uint64_t bytes = std::uint64_t{1} << 30,
                 const std::string& subtype = "") {
  std::string attributes = "local_memory=\"" + std::to_string(bytes) + "\"";
  if (!subtype.empty()) attributes += " subtype=\"" + subtype + "\"";
  return {"NUMANode", id, attributes, {}};
}

/// A whole machine.
class machine_xml {
 public:
  explicit machine_xml(std::vector<part> inside) : machine_{"Machine", 0, "", std::move(inside)} {}

  /// A latency matrix; rows: from, columns: to, both as \p nodes (os ids).
  machine_xml& latencies(const ids& nodes, const std::vector<std::vector<int>>& values) {
    std::string list;
    for (const std::size_t n : nodes) list += std::to_string(n) + " ";
    std::string numbers;
    for (const std::vector<int>& row : values) {
      for (const int value : row) numbers += std::to_string(value) + " ";
    }
    tail_ += "<distances2 type=\"NUMANode\" nbobjs=\"" + std::to_string(nodes.size()) +
             "\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\"><indexes length=\"" +
             std::to_string(list.size()) + "\">" + list + "</indexes><u64values length=\"" +
             std::to_string(numbers.size()) + "\">" + numbers + "</u64values></distances2>\n";
    return *this;
  }

  /// A kind of core with these CPUs. \p infos are pairs of name and value.
  machine_xml& kind(const ids& cpus,
                    const std::vector<std::pair<std::string, std::string>>& infos) {
    tail_ += "<cpukind cpuset=\"" + bitmap_text({cpus.begin(), cpus.end()}) + "\">";
    for (const auto& [name, value] : infos) {
      tail_ += "<info name=\"" + name + "\" value=\"" + value + "\"/>";
    }
    tail_ += "</cpukind>\n";
    return *this;
  }

  [[nodiscard]] std::string text() const {
    std::size_t serial = 0;
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n" +
           object(machine_, nullptr, machine_.all("NUMANode"), serial) + tail_ + "</topology>\n";
  }

 private:
  static std::string object(const part& p, const part* parent, std::set<std::size_t> nodes,
                            std::size_t& serial) {
    // Memory has its parent's CPUs; what has no memory of its own has its parent's.
    const std::set<std::size_t> cpus = p.type == "NUMANode" ? parent->all("PU") : p.all("PU");
    if (p.type == "NUMANode") {
      nodes = {p.os_id};
    } else if (const std::set<std::size_t> own = p.all("NUMANode"); !own.empty()) {
      nodes = own;
    }
    std::string text =
        "<object type=\"" + p.type + "\" os_index=\"" + std::to_string(p.os_id) + "\"";
    const auto add = [&text](const char* name, const std::string& value) {
      text += std::string(" ") + name + "=\"" + value + "\"";
    };
    add("cpuset", bitmap_text(cpus));
    add("complete_cpuset", bitmap_text(cpus));
    add("nodeset", bitmap_text(nodes));
    add("complete_nodeset", bitmap_text(nodes));
    if (parent == nullptr) {
      add("allowed_cpuset", bitmap_text(cpus));
      add("allowed_nodeset", bitmap_text(nodes));
    }
    add("gp_index", std::to_string(++serial));
    text += " " + p.attributes + ">\n";
    for (const part& child : p.inside) text += object(child, &p, nodes, serial);
    return text + "</object>\n";
  }

  part machine_;
  std::string tail_;
};

}  // namespace nearfork::tests
