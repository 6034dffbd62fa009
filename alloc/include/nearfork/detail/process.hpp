/// \file
/// Which process this is, of those that fork() made.
#pragma once

namespace nearfork::detail {

/// How many forks lie between the first process and this one. State that belongs to one thread
/// cannot be made whole in a child in which that thread is missing: its owner compares generations.
unsigned process_generation() noexcept;

}  // namespace nearfork::detail
