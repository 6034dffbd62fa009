/// \file
/// The policies that decide where workers sit and whom they steal from, and their names.
#pragma once

#include <string_view>

namespace nearfork {

/// What a worker's thread is bound to.
enum class bind_policy { core, pu, cache, node, none };
/// Which cores are taken when there are fewer workers than cores: spread over nodes, then caches,
/// or compact, filling one cache and one node after the other.
enum class place_policy { spread, compact };
/// One worker a core, or one for every hardware thread.
enum class smt_policy { one_per_core, all };
/// Which kinds of core take part on hybrid machines.
enum class core_kinds { all, performance, efficient };
/// Victims nearest first, or uniformly at random (the baseline to compare with).
enum class steal_policy { nearest, random };

/// The name a policy has in environment variables and on command lines.
std::string_view to_string(bind_policy) noexcept;
std::string_view to_string(place_policy) noexcept;
std::string_view to_string(smt_policy) noexcept;
std::string_view to_string(core_kinds) noexcept;
std::string_view to_string(steal_policy) noexcept;

/// Reads a policy by its name. \p what names the variable or option in the error.
/// \throws config_error that names \p what, the value and what is accepted.
bind_policy parse_bind_policy(std::string_view value, std::string_view what);
place_policy parse_place_policy(std::string_view value, std::string_view what);
smt_policy parse_smt_policy(std::string_view value, std::string_view what);
core_kinds parse_core_kinds(std::string_view value, std::string_view what);
steal_policy parse_steal_policy(std::string_view value, std::string_view what);

}  // namespace nearfork
