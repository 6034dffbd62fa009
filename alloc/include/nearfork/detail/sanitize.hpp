/// \file
/// What AddressSanitizer and LeakSanitizer must be told about memory that does not come from
/// malloc.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define NEARFORK_DETAIL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEARFORK_DETAIL_ASAN 1
#endif
#endif

#if defined(NEARFORK_DETAIL_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#endif

namespace nearfork::detail {

/// Whether the library itself is compiled with AddressSanitizer. Headers that are, with a library
/// that is not, must not poison: the library would not take it back.
extern const bool library_poisons;

#if defined(NEARFORK_DETAIL_ASAN)

inline constexpr bool compiled_with_asan = true;
/// Marks bytes that nobody may use now.
inline void poison(const void* p, std::size_t bytes) noexcept {
  if (library_poisons) __asan_poison_memory_region(p, bytes);
}
/// Marks bytes that may be used.
inline void unpoison(const void* p, std::size_t bytes) noexcept {
  if (library_poisons) __asan_unpoison_memory_region(p, bytes);
}
/// Pointers kept here count as reachable.
inline void register_leak_roots(const void* p, std::size_t bytes) noexcept {
  __lsan_register_root_region(p, bytes);
}
/// The region is about to be unmapped; what is mapped there next starts without poison.
inline void unregister_leak_roots(const void* p, std::size_t bytes) noexcept {
  __lsan_unregister_root_region(p, bytes);
  __asan_unpoison_memory_region(p, bytes);
}

#undef NEARFORK_DETAIL_ASAN

#else

inline constexpr bool compiled_with_asan = false;
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
inline void register_leak_roots(const void*, std::size_t) noexcept {}
inline void unregister_leak_roots(const void*, std::size_t) noexcept {}

#endif

}  // namespace nearfork::detail
