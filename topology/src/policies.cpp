#include <array>
#include <nearfork/error.hpp>
#include <nearfork/policies.hpp>
#include <string>
#include <utility>

namespace nearfork {
namespace {

// One table a policy serves both directions, so that a name printed is always a name accepted.
template <class Policy, std::size_t N>
using names = std::array<std::pair<std::string_view, Policy>, N>;

constexpr names<bind_policy, 5> bind_names{{{"core", bind_policy::core},
                                            {"pu", bind_policy::pu},
                                            {"cache", bind_policy::cache},
                                            {"node", bind_policy::node},
                                            {"none", bind_policy::none}}};
constexpr names<place_policy, 2> place_names{
    {{"spread", place_policy::spread}, {"compact", place_policy::compact}}};
constexpr names<smt_policy, 2> smt_names{
    {{"one_per_core", smt_policy::one_per_core}, {"all", smt_policy::all}}};
constexpr names<core_kinds, 3> kinds_names{{{"all", core_kinds::all},
                                            {"performance", core_kinds::performance},
                                            {"efficient", core_kinds::efficient}}};
constexpr names<steal_policy, 2> steal_names{
    {{"nearest", steal_policy::nearest}, {"random", steal_policy::random}}};

template <class Policy, std::size_t N>
std::string_view name_of(const names<Policy, N>& table, Policy policy) noexcept {
  for (const auto& [name, value] : table) {
    if (value == policy) return name;
  }
  return "?";
}

template <class Policy, std::size_t N>
Policy parse(const names<Policy, N>& table, std::string_view text, std::string_view what) {
  for (const auto& [name, value] : table) {
    if (name == text) return value;
  }
  std::string message;
  message.append(what).append(": '").append(text).append("' is not accepted; accepted are ");
  for (std::size_t i = 0; i < N; ++i) {
    if (i != 0) message.append(i + 1 == N ? " and " : ", ");
    message.append(table[i].first);
  }
  throw config_error(message);
}

}  // namespace

std::string_view to_string(bind_policy p) noexcept { return name_of(bind_names, p); }
std::string_view to_string(place_policy p) noexcept { return name_of(place_names, p); }
std::string_view to_string(smt_policy p) noexcept { return name_of(smt_names, p); }
std::string_view to_string(core_kinds p) noexcept { return name_of(kinds_names, p); }
std::string_view to_string(steal_policy p) noexcept { return name_of(steal_names, p); }

bind_policy parse_bind_policy(std::string_view value, std::string_view what) {
  return parse(bind_names, value, what);
}
place_policy parse_place_policy(std::string_view value, std::string_view what) {
  return parse(place_names, value, what);
}
smt_policy parse_smt_policy(std::string_view value, std::string_view what) {
  return parse(smt_names, value, what);
}
core_kinds parse_core_kinds(std::string_view value, std::string_view what) {
  return parse(kinds_names, value, what);
}
steal_policy parse_steal_policy(std::string_view value, std::string_view what) {
  return parse(steal_names, value, what);
}

}  // namespace nearfork
