// Where these tests run.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <nearfork/detail/pages.hpp>
#include <nearfork/detail/verify.hpp>
#include <nearfork/node_resource.hpp>

namespace nearfork::alloc_tests {

/// The os id of a node that this process may use.
inline std::size_t here() {
  static const std::size_t id = node_resource(0).os_id();
  return id;
}

/// Whether this system lets memory be bound and tells where it is.
inline bool can_bind_and_look() {
  static const bool can = [] {
    const auto block = detail::allocate_pages(1, {.node_os_id = here(), .touch = true});
    const bool good = block.bound && block.verified == block.bytes;
    detail::free_pages(block);
    return good;
  }();
  return can;
}

}  // namespace nearfork::alloc_tests

#define NEARFORK_SKIP_UNLESS_BINDING()             \
  if (!nearfork::alloc_tests::can_bind_and_look()) \
  GTEST_SKIP() << "this system refuses to bind memory or to tell where it is"
