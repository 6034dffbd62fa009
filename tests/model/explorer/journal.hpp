/// @file
/// An undo log: every change of the explored memory is noted with the old bytes, and backtracking
/// puts them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace nearfork::model {

class journal {
 public:
  template <class T>
  void set(T& target, std::type_identity_t<T> value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
    entry e{&target, 0, sizeof(T)};
    std::memcpy(&e.old, &target, sizeof(T));
    log_.push_back(e);
    target = value;
  }

  /// For larger objects: notes them word by word.
  template <class T>
  void replace(T& target, const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    auto* words = reinterpret_cast<unsigned char*>(&target);
    for (std::size_t at = 0; at < sizeof(T); at += 8) {
      entry e{words + at, 0, 8};
      std::memcpy(&e.old, words + at, 8);
      log_.push_back(e);
    }
    std::memcpy(words, &value, sizeof(T));
  }

  std::size_t mark() const noexcept { return log_.size(); }
  void roll_back(std::size_t mark) noexcept {
    while (log_.size() > mark) {
      const entry& e = log_.back();
      std::memcpy(e.target, &e.old, e.bytes);
      log_.pop_back();
    }
  }

 private:
  struct entry {
    void* target;
    std::uint64_t old;
    std::size_t bytes;
  };
  std::vector<entry> log_;
};

}  // namespace nearfork::model
