/// \file
/// Which pools live in this process, so that two do not silently share cores.
#pragma once

#include <nearfork/placement.hpp>

namespace nearfork::detail {

/// Notes a pool that binds its workers; warns if a living one is bound to some of the same PUs.
/// The plan must stay where it is until the pool is taken off.
void register_pool(const placement& plan);
void unregister_pool(const placement& plan) noexcept;

}  // namespace nearfork::detail
