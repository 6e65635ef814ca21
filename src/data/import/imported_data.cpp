// SPDX-License-Identifier: MIT
#include "data/import/imported_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "data/target_coding.hpp"
#include "files/hdf5/data_set.hpp"

namespace sheaf {
namespace {

// The comparison is false for NaN.
bool fits_float(double value) {
  return std::abs(value) <= double{std::numeric_limits<float>::max()};
}

// `accepts_nan`: as an empty cell.
void require_finite(const NumberArray& array, bool accepts_nan, const std::string& name) {
  if (!is_real(array.type)) return;
  visit_numbers(array, [&](const auto* values) {
    const auto* end = values + array.elements();
    const auto* bad = std::find_if_not(values, end, [accepts_nan](auto value) {
      const auto number = static_cast<double>(value);
      return fits_float(number) || (accepts_nan && std::isnan(number));
    });
    if (bad == end) return;
    const std::int64_t index = bad - values;
    throw RunError(
        fmt::format("'{}' contains {} in row {}, column {} (values must be finite in 32-bit floating point). Remove or "
                    "replace it.",
                    name, static_cast<double>(*bad), index / array.row_elements(), index % array.row_elements()));
  });
}

// The values as integers; throws RunError if one is not an integer.
std::vector<std::int64_t> integers_of(const NumberArray& array, const TargetOptions& options, const std::string& name) {
  std::vector<std::int64_t> integers(array.elements());
  visit_numbers(array, [&](const auto* values) {
    for (std::size_t row = 0; row < integers.size(); ++row) {
      const auto value = static_cast<double>(values[row]);
      require(value >= -0x1p63 && value < 0x1p63 && std::floor(value) == value, [&] {
        return fmt::format(
            "'{}' contains {} in row {} (class labels must be integers). Number the classes, or pass {}=regression.",
            name, value, row, options.task_option);
      });
      integers[row] = static_cast<std::int64_t>(values[row]);
    }
  });
  return integers;
}

template <class Real>
NumberArray converted_to(NumberType type, const NumberArray& array) {
  NumberArray reals{type, array.shape, {}};
  reals.bytes.resize(array.elements() * sizeof(Real));
  visit_numbers(array, [&](const auto* values) {
    for (std::size_t i = 0; i < array.elements(); ++i) {
      const auto value = static_cast<Real>(values[i]);
      std::memcpy(reals.bytes.data() + i * sizeof value, &value, sizeof value);
    }
  });
  return reals;
}

// Integers as float32 if it represents all of them, otherwise as float64.
NumberArray as_reals(const NumberArray& array) {
  const bool are_exact = visit_numbers(array, [&](const auto* values) {
    return std::all_of(values, values + array.elements(), [](auto value) {
      return static_cast<double>(static_cast<float>(value)) == static_cast<double>(value);
    });
  });
  return are_exact ? converted_to<float>(NumberType::float32, array) : converted_to<double>(NumberType::float64, array);
}

// What several columns contain: only 0 and 1, with the class of each row, or the first row without exactly one 1.
struct SeveralColumns {
  bool are_binary = false;
  std::optional<std::size_t> odd_row{};
  std::vector<std::int64_t> labels{};
};

SeveralColumns look_at(const NumberArray& array) {
  const std::int64_t width = array.row_elements();
  SeveralColumns seen;
  seen.labels.resize(static_cast<std::size_t>(array.rows()));
  std::vector<double> row_values(static_cast<std::size_t>(width));
  seen.are_binary = visit_numbers(array, [&](const auto* values) {
    for (std::size_t row = 0; row < seen.labels.size(); ++row, values += width) {
      std::transform(values, values + width, row_values.begin(), [](auto value) { return static_cast<double>(value); });
      seen.labels[row] = one_hot_class(row_values.data(), width);
      if (seen.labels[row] == -1) return false;
      if (seen.labels[row] < 0 && !seen.odd_row) seen.odd_row = row;
    }
    return true;
  });
  return seen;
}

// Columns are classes. With known classes, these must be as many.
CodedTargets code_one_hot(const std::vector<std::int64_t>& labels, std::int64_t columns, const KnownNames& known,
                          const std::string& name) {
  const auto classes = known ? known->size() : 0;
  require(classes == 0 || classes == static_cast<std::size_t>(columns), [&] {
    return fmt::format("'{}' is one-hot with {} columns, but there are {} known classes. Store class numbers or names.",
                       name, columns, classes);
  });
  CodedTargets targets{label_array(labels), known.value_or(std::vector<std::string>()), false};
  targets.one_hot_columns = columns;
  return targets;
}

// Several columns as classes or labels; nullopt: as numbers. Throws RunError if they do not fit the task.
std::optional<CodedTargets> code_several(const NumberArray& array, const TargetOptions& options,
                                         const std::string& name) {
  const SeveralColumns seen = look_at(array);
  if (options.task == Task::multilabel || (!options.task && seen.are_binary && seen.odd_row)) {
    require(seen.are_binary, [&] {
      return fmt::format(
          "'{}' {} has other values than 0 and 1 (they are labels that a row has or not). Correct it, "
          "or pass {}=regression.",
          name, shape_text(array.shape), options.task_option);
    });
    CodedTargets targets{*as_labels(array), {}};
    targets.are_labels = true;
    targets.could_be_either = !options.task;
    return targets;
  }
  if (!seen.are_binary) return std::nullopt;
  require(!seen.odd_row, [&] {
    return fmt::format(
        "'{}' {} has several labels per row, or none: only zeros and ones, and not exactly one 1 in row {}. Store one "
        "label per row, or pass {}=multilabel.",
        name, shape_text(array.shape), *seen.odd_row, options.task_option);
  });
  return code_one_hot(seen.labels, array.row_elements(), options.known_classes, name);
}

}  // namespace

std::optional<NumberArray> as_labels(const NumberArray& array) {
  const bool are_binary = visit_numbers(array, [&](const auto* values) {
    return std::all_of(values, values + array.elements(), [](auto value) {
      const auto number = static_cast<double>(value);
      return number == 0 || number == 1;
    });
  });
  return are_binary ? std::optional(converted_to<std::uint8_t>(NumberType::uint8, array)) : std::nullopt;
}

std::int64_t ImportedData::classes() const {
  if (!has_classes()) return 0;
  return visit_numbers(*targets, [&](const auto* labels) {
    return static_cast<std::int64_t>(*std::max_element(labels, labels + targets->elements())) + 1;
  });
}

void ImportedData::set_targets(CodedTargets coded, const std::string& task_option) {
  targets = std::move(coded.array);
  description.class_names = std::move(coded.class_names);
  if (coded.one_hot_columns > 0)
    notes.push_back(
        fmt::format("the targets are one-hot: classification with {} classes ({}=regression predicts the numbers)",
                    coded.one_hot_columns, task_option));
  description.is_multilabel = coded.are_labels;
  if (!coded.could_be_either) return;
  if (coded.are_labels) {
    notes.push_back(
        fmt::format("the targets are 0 and 1 in {} columns: multi-label classification ({}=regression predicts the "
                    "numbers)",
                    targets->row_elements(), task_option));
    return;
  }
  notes.push_back(
      is_real(targets->type)
          ? fmt::format("the targets are whole numbers, taken as quantities: regression "
                        "({}=classification makes each number a class)",
                        task_option)
          : fmt::format("the targets are integers: classification with {} {} ({}=regression predicts numbers)",
                        classes(), classes() == 1 ? "class" : "classes", task_option));
}

CodedTargets as_targets(NumberArray array, const TargetOptions& options, const std::string& name) {
  std::optional<Task> task = options.task;
  const bool one_per_row = array.row_elements() == 1;
  require(array.shape.size() <= 2 && array.row_elements() > 0,
          fmt::format("'{}' {} is not a list of targets (its shape must be [rows] or [rows, outputs]). Pass the files "
                      "in the order features, targets.",
                      name, shape_text(array.shape)));
  if (array.rows() == 0) return {std::move(array), {}, false};  // require_fit() refuses it
  require(!one_per_row || task != Task::multilabel, [&] {
    return fmt::format("'{}' {} has one label per row. Store [rows, labels] of 0 and 1, or pass {}=classification.",
                       name, shape_text(array.shape), options.task_option);
  });
  if (!one_per_row && task != Task::regression)
    if (auto coded = code_several(array, options, name)) return *std::move(coded);
  const bool undecided = !task && !is_real(array.type) && one_per_row;
  if (undecided) task = looks_like_classes(integers_of(array, options, name)) ? Task::classification : Task::regression;
  CodedTargets targets;
  if (task.value_or(Task::regression) == Task::regression) {
    targets.array = is_real(array.type) ? std::move(array) : as_reals(array);
  } else {
    require(one_per_row, fmt::format("'{}' {} is not a list of class labels (it must have one per row). Store one "
                                     "label per row, or pass {}=regression.",
                                     name, shape_text(array.shape), options.task_option));
    targets = code_integers(integers_of(array, options, name), options.known_classes, fmt::format("array '{}'", name));
  }
  targets.could_be_either = undecided;
  return targets;
}

std::string content_hash(const ImportedData& data) {
  Fingerprint fingerprint;
  const auto add = [&fingerprint](const NumberArray& array) {
    fingerprint.add(fmt::format("{} {} ", number_type_name(array.type), shape_text(array.shape)));
    fingerprint.add_array(array.bytes.data(), array.bytes.size());
  };
  add(data.features);
  for (const auto* array : {&data.targets, &data.groups, &data.folds, &data.times, &data.weights})
    if (*array) add(**array);
  return fingerprint.text();
}

void require_fit(const ImportedData& data, const std::string& features_name, const std::string& targets_name) {
  const NumberArray& features = data.features;
  require(features.rows() > 0 && features.row_elements() > 0,
          fmt::format("'{}' {} is empty (it has no rows or no features). Use a file with at least one row.",
                      features_name, shape_text(features.shape)));
  require_finite(features, features.shape.size() <= 2, features_name);
  if (!data.targets) return;
  require(features.rows() == data.targets->rows(),
          fmt::format("'{}' and '{}' have {} and {} rows (they must have the same number). Store one target per row.",
                      features_name, targets_name, features.rows(), data.targets->rows()));
  require_finite(*data.targets, false, targets_name);
}

}  // namespace sheaf
