// The table of precisions: names, and properties that several modules use. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string_view>

#include "study/kind_table.hpp"

namespace sheaf {

/// Precision of weights and arithmetic. bfloat16: mixed precision, with matrix products and convolutions in bfloat16,
/// everything else in float32. tf32: float32, except that matrix products on GPUs round their inputs to 10 mantissa
/// bits.
enum class Precision { float32, float64, bfloat16, tf32 };

struct PrecisionRow {
  Precision kind;
  std::string_view name;
  std::string_view meaning;      ///< for the help; empty: the name says it
  bool needs_libtorch;           ///< the native engine does not have it
  bool needs_gpu;                ///< CPU cores do not have it
  std::string_view other_names;  ///< in other tools, separated by spaces
};

/// In the order of Precision.
inline constexpr std::array precision_table = {
    PrecisionRow{Precision::float32, "float32", "", false, false, "fp32 float"},
    PrecisionRow{Precision::float64, "float64", "features and targets are still rounded to float32 when they are read",
                 false, false, "fp64 double"},
    PrecisionRow{Precision::bfloat16, "bfloat16",
                 "mixed precision as in PyTorch's autocast, with weights and optimizer in float32", true, false,
                 "bf16"},
    PrecisionRow{Precision::tf32, "tf32", "float32 with TF32 products, only on GPUs", true, true, ""},
};
static_assert(is_in_order(precision_table));

constexpr const PrecisionRow& precision_of(Precision kind) {
  return row_of(precision_table, kind);
}

}  // namespace sheaf
