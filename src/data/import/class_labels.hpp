// The rule by which labels become class numbers, the same for all file formats.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/text_classes.hpp"
#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// The maximum number of classes of integers that are not 0..K-1, unless the task is given.
constexpr std::size_t max_undeclared_classes = 100;

/// The targets of an import.
struct CodedTargets {
  /// Classes: int64 [rows], >= 0; several labels per row: uint8 [rows, labels] of 0 and 1; otherwise real, [rows] or
  /// [rows, outputs].
  NumberArray array;
  std::vector<std::string> class_names;  ///< of the labels; empty for regression and for more than max_class_names
  bool could_be_either = false;      ///< whole numbers without a task: whether another reader might choose otherwise
  bool are_labels = false;           ///< several per row
  std::int64_t one_hot_columns = 0;  ///< columns of one-hot targets; 0: they were coded otherwise
};

/// Whether integers without a task are class labels: all of 0..K-1 occur and no others; or there are at most 100
/// different ones and, of 20 rows or more, not more than half have a value of their own. `values` must not be empty.
/// Pure.
bool looks_like_classes(const std::vector<std::int64_t>& values);

/// The class names of the data that labels are coded like. nullopt: there are no such data. Empty: their classes have
/// no names, so labels must be class numbers.
using KnownNames = std::optional<std::vector<std::string>>;

/// Labels of integers. If exactly 0..K-1 occur they stay. Others are numbered in ascending order. The names are the
/// integers as text. With `known`, each integer gets the number of its name, or stays if there are no names. `values`
/// must not be empty. Throws RunError, with `description` ("column 2 of 'a.csv'"), for too many classes and for
/// integers that are not known. Pure.
CodedTargets code_integers(const std::vector<std::int64_t>& values, const KnownNames& known,
                           const std::string& description);

/// Finds labels among known class names.
class KnownClasses {
 public:
  KnownClasses(std::vector<std::string> names, std::string description);
  /// The number of the class with this name or, if there is none, with the same number as its name: "1.0" is "1", but
  /// "01" is not. Throws RunError with the description.
  std::int64_t find(const std::string& label) const;

 private:
  std::vector<std::string> names_;
  std::string description_;
  std::unordered_map<std::string, std::int64_t> by_name_;
  std::unordered_map<double, std::int64_t> by_number_;
};

/// Finds labels of text among the class names of other data: by KnownClasses, or, if these data have no class names, as
/// class numbers.
class TextLabels {
 public:
  TextLabels(const std::vector<std::string>& names, std::string description);
  /// The label of a text. Throws RunError with the description.
  std::int64_t find(const std::string& text) const;

 private:
  std::string description_;
  std::optional<KnownClasses> known_;
};

/// Labels of texts: numbered in sorted order; with `known`, as TextLabels does. Throws RunError with `description` for
/// too many classes and for texts that are not known. Pure.
CodedTargets code_texts(const std::vector<std::string>& texts, const KnownNames& known, const std::string& description);

/// An array [rows] of labels.
NumberArray label_array(const std::vector<std::int64_t>& labels);

}  // namespace sheaf
