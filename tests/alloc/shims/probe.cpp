// Uses memory in every way this room offers and prints what happened as JSON, so that tests can
// look at it under shims, limits and kernels of all kinds.
//
//   nearfork-alloc-probe [NODE...]        node_index of the nodes to use (default: 0)
//   nearfork-alloc-probe --fill NODE MIB  takes so much of the node, preferred and in small
//                                         blocks, then asks for as much again strictly
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <nearfork/detail/node_cache.hpp>
#include <nearfork/detail/node_pool.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/node_resource.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace nearfork::detail;
using nlohmann::json;

json to_json(const page_totals& t) {
  return {{"bound", t.bound},
          {"unbound", t.unbound},
          {"verified", t.verified},
          {"elsewhere", t.elsewhere}};
}

json to_json(const placement_report& r) {
  static constexpr const char* sources[] = {"none", "move_pages", "numa_maps"};
  json by_node = json::object();
  for (const auto& [node, pages] : r.by_node) by_node[std::to_string(node)] = pages;
  return {{"source", sources[static_cast<int>(r.source)]},
          {"pages", r.pages},
          {"on_node", r.on_node},
          {"elsewhere", r.elsewhere},
          {"untouched", r.untouched},
          {"unknown", r.unknown},
          {"by_node", by_node}};
}

constexpr std::size_t block_bytes = 256 * 1024;

json probe_pages(std::size_t node) {
  json result;
  auto block = allocate_pages(block_bytes, node);
  std::memset(block.data, 1, block.bytes / 2);
  look_at(block);
  result["bound"] = block.bound;
  result["verified"] = block.verified;
  result["elsewhere"] = block.elsewhere;
  result["report"] = to_json(verify_pages(block.data, block.bytes, node));
  result["part"] =
      to_json(verify_pages(static_cast<char*>(block.data) + block.bytes / 4, page_bytes(), node));
  free_pages(block);
  const auto touched = allocate_pages(block_bytes, {.node_os_id = node, .touch = true});
  result["touched"] = {{"verified", touched.verified}, {"elsewhere", touched.elsewhere}};
  free_pages(touched);
  return result;
}

json probe_strict(std::size_t node) {
  try {
    const auto block = allocate_pages(block_bytes, {.node_os_id = node, .strict = true});
    const json result = {{"bound", block.bound}, {"verified", block.verified}};
    free_pages(block);
    return result;
  } catch (const std::bad_alloc& e) {
    return {{"refused", e.what()}};
  }
}

json probe_pool(std::size_t node) {
  json result;
  node_cache cache(node);
  auto& pool = node_pool::of(node);
  std::vector<void*> blocks(4000);
  for (auto& p : blocks) {
    p = cache.allocate(200);
    std::memset(p, 1, 200);
  }
  result["cache"] = to_json(cache.statistics());
  // Freed by another thread, and taken again: still the same memory.
  std::thread([&] {
    node_cache other(node);
    for (void* p : blocks) other.deallocate(p, 200);
  }).join();
  for (auto& p : blocks) p = cache.allocate(200);
  result["again"] = to_json(cache.statistics());
  result["pool"] = to_json(pool.verify());
  for (void* p : blocks) cache.deallocate(p, 200);
  return result;
}

json probe_resource(nearfork::node_index node) {
  std::pmr::vector<char> data(block_bytes, 'x', nearfork::node_resource(node));
  const auto os_id = nearfork::node_resource(node).os_id();
  json result = {{"report", to_json(verify_pages(data.data(), data.size(), os_id))}};
  if (os_id == nearfork::npos)
    result["os_id"] = nullptr;
  else
    result["os_id"] = os_id;
  return result;
}

json probe(nearfork::node_index node) {
  const std::size_t os_id = nearfork::node_resource(node).os_id();
  return {{"node", node},
          {"pages", probe_pages(os_id)},
          {"strict", probe_strict(os_id)},
          {"pool", probe_pool(os_id)},
          {"resource", probe_resource(node)}};
}

json fill(nearfork::node_index node, std::size_t mib) {
  const std::size_t os_id = nearfork::node_resource(node).os_id();
  const std::size_t bytes = mib << 20;
  json result = {{"node", node}};
  const auto block = allocate_pages(bytes / 2, {.node_os_id = os_id, .touch = true});
  result["pages"] = {{"verified", block.verified}, {"elsewhere", block.elsewhere}};
  node_cache cache(os_id);
  std::vector<void*> blocks(bytes / 2 / 4096);
  for (auto& p : blocks) {
    p = cache.allocate(4096);
    *static_cast<char*>(p) = 1;
  }
  result["cache"] = to_json(cache.statistics());
  result["pool"] = to_json(node_pool::of(os_id).verify());
  try {
    free_pages(allocate_pages(bytes, {.node_os_id = os_id, .strict = true}));
    result["strict"] = "taken";
  } catch (const std::bad_alloc& e) {
    result["strict"] = {{"refused", e.what()}};
  }
  for (void* p : blocks) cache.deallocate(p, 4096);
  free_pages(block);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 4 && std::string(argv[1]) == "--fill") {
      const json result = fill(std::stoul(argv[2]), std::stoul(argv[3]));
      std::cout << json{{"fill", result}, {"process", to_json(process_pages().totals())}}.dump(2)
                << '\n';
      return 0;
    }
    json nodes = json::array();
    if (argc == 1) nodes.push_back(probe(0));
    for (int i = 1; i < argc; ++i) nodes.push_back(probe(std::stoul(argv[i])));
    std::cout << json{{"nodes", nodes}, {"process", to_json(process_pages().totals())}}.dump(2)
              << '\n';
  } catch (const std::exception& e) {
    std::cerr << "nearfork-alloc-probe: " << e.what() << '\n';
    return 2;
  }
}
