// Memory that a lane allocates once and trains in.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sheaf {

/// Zeroed, cache-line aligned memory, in huge pages where it is large and the system has them: an optimizer step over a
/// large network touches thousands of small ones.
class Arena {
 public:
  Arena() = default;
  explicit Arena(std::size_t bytes);

  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::unique_ptr<std::byte, Free> memory_;
};

/// Deals an arena out in pieces that begin at cache lines. Run it once without memory to learn the size.
class ArenaLayout {
 public:
  explicit ArenaLayout(std::byte* memory = nullptr) : memory_(memory) {}

  template <class Value>
  Value* take(std::int64_t count) {
    Value* piece = memory_ == nullptr ? nullptr : reinterpret_cast<Value*>(memory_ + bytes_);
    bytes_ += (static_cast<std::size_t>(count) * sizeof(Value) + line - 1) / line * line;
    return piece;
  }

  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t line = 64;
  std::byte* memory_;
  std::size_t bytes_ = 0;
};

}  // namespace sheaf
