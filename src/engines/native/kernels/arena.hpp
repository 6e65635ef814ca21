// Memory that a lane allocates once for its trainings.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace sheaf {

/// Frees memory of operator new with this alignment.
struct AlignedFree {
  std::align_val_t alignment{1};

  void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
};

/// Zeroed memory, aligned to cache lines. Large arenas use huge pages if the system has them, because an optimizer step
/// of a large network accesses thousands of small pages.
class Arena {
 public:
  Arena() = default;
  explicit Arena(std::size_t bytes);

  std::byte* data() const { return memory_.get(); }

 private:
  std::unique_ptr<std::byte, AlignedFree> memory_;
};

/// Assigns the memory of an arena to arrays that begin at cache lines. Without memory it only computes the size.
class ArenaLayout {
 public:
  explicit ArenaLayout(std::byte* memory = nullptr) : memory_(memory) {}

  template <class Value>
  Value* take(std::int64_t count) {
    Value* array = memory_ == nullptr ? nullptr : reinterpret_cast<Value*>(memory_ + bytes_);
    bytes_ += (static_cast<std::size_t>(count) * sizeof(Value) + line - 1) / line * line;
    return array;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t line = 64;
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace sheaf
