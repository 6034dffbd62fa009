// Requests that got pages of their own.
#pragma once

#include <nearfork/detail/page_account.hpp>
#include <nearfork/detail/small_lock.hpp>

namespace nearfork::detail {

/// Looks again where the blocks charged to the account are.
void look_at_direct_blocks(const page_account& account) noexcept;

/// The lock of the table, for fork.
small_lock& direct_blocks_lock() noexcept;

}  // namespace nearfork::detail
