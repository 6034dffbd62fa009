/// \file
/// Memory for as many elements as are sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nearfork/detail/pages.hpp>
#include <new>

namespace nearfork::detail {

/// Room for n objects that are not there yet. Large ones are pages of their own, huge ones where
/// the system has them: making small ones present would cost a good part of the sorting.
template <class T>
class sort_buffer {
 public:
  /// \throws std::bad_alloc
  explicit sort_buffer(std::size_t n) {
    if (n > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = n * sizeof(T);
    if (bytes >= large) {
      page_options o;
      o.huge = huge_pages::transparent;
      o.alignment = alignof(T) > page_bytes() ? alignof(T) : 0;
      pages_ = allocate_pages(bytes, o);
      data_ = static_cast<T*>(pages_.data);
    } else {
      data_ = static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T))));
    }
  }
  sort_buffer(const sort_buffer&) = delete;
  sort_buffer& operator=(const sort_buffer&) = delete;
  ~sort_buffer() {
    if (pages_.data != nullptr) {
      free_pages(pages_);
    } else {
      ::operator delete(data_, std::align_val_t(alignof(T)));
    }
  }
  T* data() const noexcept { return data_; }

 private:
  static constexpr std::size_t large = std::size_t{4} << 20;
  page_block pages_;
  T* data_ = nullptr;
};

}  // namespace nearfork::detail
