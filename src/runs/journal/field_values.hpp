// What journal lines and packed results have in common: which values they leave out, and the names of members. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>

namespace sheaf {

/// The only NaN of results. Journals do not store the sign and payload of a NaN, and results from memory must not
/// differ from replayed ones.
inline double unified(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

/// Whether two values of a field are the same: for doubles, the same bits or both NaN.
template <class Value>
bool is_same(const Value& one, const Value& other) {
  if constexpr (std::is_same_v<Value, double>) {
    if (std::isnan(one) || std::isnan(other)) return std::isnan(one) && std::isnan(other);
    return one == other && std::signbit(one) == std::signbit(other);
  } else {
    return one == other;
  }
}

/// A new result.
template <class Result>
inline const Result new_result{};

/// Whether a new result has the same value in this field, so that it need not be stored.
template <class Result, class Field>
bool is_default(const Result& result, const Field& field) {
  return is_same(field.of(result), field.of(new_result<Result>));
}

/// The beginnings of members of a journal line that are not fields of the result.
inline constexpr std::string_view metrics_key = R"(,"metrics":[)", reductions_key = R"(,"rate_reductions":[)",
                                  curve_key = R"(,"curve":[)", predictions_key = R"(,"predictions":[)";

}  // namespace sheaf
