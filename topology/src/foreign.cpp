#include "src/foreign.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nearfork/error.hpp>
#include <new>
#include <stdexcept>
#include <system_error>

#include "src/hwloc_load.hpp"
#include "src/hwloc_read.hpp"

namespace nearfork::detail {
namespace {

// The biggest machines' XML is some megabytes; /dev/zero has no end.
constexpr std::size_t largest_document = std::size_t{64} << 20;
// As many CPUs as Linux itself can have. hwloc builds every object of a synthetic machine, slowly
// where a level is wide.
constexpr std::size_t most_pus = 8192;

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, file_closer> file(std::fopen(path.c_str(), "rbe"));
  if (!file) throw std::runtime_error(std::strerror(errno));
  std::string text;
  char block[65536];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof block, file.get())) > 0;) {
    text.append(block, got);
    if (text.size() > largest_document) throw std::runtime_error("larger than 64 MiB");
  }
  if (std::ferror(file.get()) != 0) throw std::runtime_error(std::strerror(errno));
  return text;
}

// An upper bound of the PUs a synthetic string describes: the product of its counts, without
// attributes "(...)" and memory "[...]". Saturates just above most_pus.
std::size_t synthetic_pus(const std::string& text) {
  std::size_t product = 1;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    const bool starts = i == 0 || text[i - 1] == ':' || text[i - 1] == ' ';
    if (depth != 0 || !starts || c < '0' || c > '9') continue;
    std::size_t count = 0;
    const auto result = std::from_chars(text.data() + i, text.data() + text.size(), count);
    if (result.ec != std::errc{}) return most_pus + 1;
    if (count != 0 && product > most_pus / count) return most_pus + 1;
    product *= count;
  }
  return product;
}

[[noreturn]] void refuse(const std::string& description, std::string_view what,
                         const std::string& why) {
  throw config_error(std::string(what) + ": '" + description + "' " + why +
                     "; accepted are an hwloc XML file (lstopo machine.xml) and a synthetic "
                     "string such as \"numa:2 core:4 pu:2\"");
}

}  // namespace

machine::data load_foreign(const std::string& description, std::string_view what) {
  std::error_code error;
  // What looks like a path is taken for one, so that a mistyped name is called that.
  const bool is_file = description.find_first_of("/.") != std::string::npos ||
                       std::filesystem::exists(description, error);
  try {
    topology_ptr topology;
    if (is_file) {
      topology = load_xml_topology(read_file(description));
    } else {
      if (synthetic_pus(description) > most_pus) {
        throw std::runtime_error("more than " + std::to_string(most_pus) + " PUs");
      }
      topology = load_synthetic_topology(description);
    }
    machine::data data = read_topology(topology.get(), {});
    data.source = description;
    data.foreign = true;
    warn_about_left_out(topology.get(), data);
    return data;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    refuse(description, what,
           is_file ? std::string("cannot be read as a topology (") + e.what() + ")"
                   : std::string("is neither a file nor a synthetic string (") + e.what() + ")");
  }
}

}  // namespace nearfork::detail
