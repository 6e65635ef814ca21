// Values of keys that have the choice `auto`.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <stdexcept>

namespace sheaf {

struct Automatic {};
/// The choice `auto` of a key.
inline constexpr Automatic automatic;

/// `auto`, or a value of the enumeration, which has no value for `auto` itself. Converts to the value without a cast
/// (also in a switch), because most code runs after the study is settled. Code before that compares with `automatic`
/// first.
template <class Value>
class AutoOr {
 public:
  constexpr AutoOr(Automatic = automatic) {}
  constexpr AutoOr(Value value) : value_(value) {}

  /// Throws std::logic_error if it is `auto`.
  constexpr operator Value() const {
    if (!value_) throw std::logic_error("a key with the value auto was read before the study was settled");
    return *value_;
  }
  constexpr Value value_or(Value other) const { return value_.value_or(other); }

  friend constexpr bool operator==(AutoOr a, AutoOr b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(AutoOr a, AutoOr b) { return a.value_ != b.value_; }
  friend constexpr bool operator==(AutoOr a, Value b) { return a.value_ == b; }
  friend constexpr bool operator!=(AutoOr a, Value b) { return a.value_ != b; }
  friend constexpr bool operator==(Value a, AutoOr b) { return a == b.value_; }
  friend constexpr bool operator!=(Value a, AutoOr b) { return a != b.value_; }
  friend constexpr bool operator==(AutoOr a, Automatic) { return !a.value_; }
  friend constexpr bool operator!=(AutoOr a, Automatic) { return a.value_.has_value(); }

 private:
  std::optional<Value> value_;
};

}  // namespace sheaf
