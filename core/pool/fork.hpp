/// \file
/// What a forked child has to forget about its parent's pools.
#pragma once

namespace nearfork::detail {

/// Registers the fork handler, the first time. In the child the calling thread is no pool's worker
/// any more, and locks that other threads may have held are free.
void forget_pools_in_children() noexcept;

/// The handler's parts.
void forget_registered_pools() noexcept;
void renew_default_pool_lock() noexcept;

}  // namespace nearfork::detail
