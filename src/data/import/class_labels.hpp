// The one rule by which labels become class numbers, whatever the format of the file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// The maximum number of classes that have names. A column with more different values is probably a quantity or an
/// identifier of the rows.
constexpr std::size_t most_class_names = std::size_t{1} << 16;

/// The targets of an import.
struct CodedTargets {
  NumberArray array;                     ///< labels: int64 [rows], >= 0; otherwise real, [rows] or [rows, outputs]
  std::vector<std::string> class_names;  ///< of the labels; empty for regression and for more than most_class_names
  bool could_be_either = false;          ///< integers without a task: whether another reader might choose otherwise
};

/// Whether integers without a task are class labels: all of 0..K-1 occur and no others, or there are at most 100
/// different ones. `values` must not be empty. Pure.
bool looks_like_classes(const std::vector<std::int64_t>& values);

/// Labels of integers. If exactly 0..K-1 occur they stay. Others are numbered in ascending order. The names are the
/// integers as text. With `known` names, each integer gets the number of its name. `values` must not be empty. Throws
/// RunError, with `description`
/// ("column 2 of 'a.csv'"), for too many classes and for integers that are not among the known names. Pure.
CodedTargets code_integers(const std::vector<std::int64_t>& values, const std::vector<std::string>& known,
                           const std::string& description);

/// The number of `name` among the known class names. Throws RunError with `description`. Pure.
std::int64_t known_class(const std::string& name, const std::vector<std::string>& known,
                         const std::string& description);

/// An array [rows] of labels.
NumberArray label_array(const std::vector<std::int64_t>& labels);

}  // namespace sheaf
