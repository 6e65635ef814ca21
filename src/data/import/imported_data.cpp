// SPDX-License-Identifier: MIT
#include "data/import/imported_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"
#include "files/hdf5/data_set.hpp"

namespace sheaf {
namespace {

// The comparison is false for NaN.
bool fits_float(double value) {
  return std::abs(value) <= double{std::numeric_limits<float>::max()};
}

void require_finite(const NumberArray& array, const std::string& name) {
  if (!is_real(array.type)) return;
  visit_numbers(array, [&](const auto* values) {
    const auto* end = values + array.elements();
    const auto* bad = std::find_if_not(values, end, [](auto value) { return fits_float(static_cast<double>(value)); });
    if (bad == end) return;
    const std::int64_t index = bad - values;
    throw RunError(
        fmt::format("'{}' contains {} in row {}, column {} (values must be finite in 32-bit floating point). Remove or "
                    "replace it.",
                    name, static_cast<double>(*bad), index / array.row_elements(), index % array.row_elements()));
  });
}

NumberArray as_labels(const NumberArray& array, const std::string& name) {
  NumberArray labels{NumberType::int64, {array.rows()}, {}};
  labels.bytes.resize(array.elements() * sizeof(std::int64_t));
  visit_numbers(array, [&](const auto* values) {
    for (std::size_t row = 0; row < array.elements(); ++row) {
      const auto value = static_cast<double>(values[row]);
      require(value >= 0 && value < 0x1p63 && std::floor(value) == value, [&] {
        return fmt::format(
            "'{}' contains {} in row {} (class labels must be integers and count from 0). Number the classes from 0, "
            "or pass --task=regression.",
            name, value, row);
      });
      const auto label = static_cast<std::int64_t>(values[row]);
      std::memcpy(labels.bytes.data() + row * sizeof label, &label, sizeof label);
    }
  });
  return labels;
}

NumberArray as_float32(const NumberArray& array) {
  NumberArray floats{NumberType::float32, array.shape, {}};
  floats.bytes.resize(array.elements() * sizeof(float));
  visit_numbers(array, [&](const auto* values) {
    for (std::size_t i = 0; i < array.elements(); ++i) {
      const auto value = static_cast<float>(values[i]);
      std::memcpy(floats.bytes.data() + i * sizeof value, &value, sizeof value);
    }
  });
  return floats;
}

}  // namespace

std::int64_t ImportedData::classes() const {
  if (is_real(targets.type)) return 0;
  return visit_numbers(targets, [&](const auto* labels) {
    return static_cast<std::int64_t>(*std::max_element(labels, labels + targets.elements())) + 1;
  });
}

NumberArray as_targets(NumberArray array, std::optional<Task> task, const std::string& name) {
  const bool one_per_row = array.row_elements() == 1;
  require(array.shape.size() <= 2 && array.row_elements() > 0,
          fmt::format("'{}' {} is not a list of targets (its shape must be [rows] or [rows, outputs]). Pass the files "
                      "in the order features, targets.",
                      name, shape_text(array.shape)));
  if (task.value_or(is_real(array.type) || !one_per_row ? Task::regression : Task::classification) == Task::regression)
    return is_real(array.type) ? std::move(array) : as_float32(array);
  require(one_per_row, fmt::format("'{}' {} is not a list of class labels (it must have one per row). Store one label "
                                   "per row, or pass --task=regression.",
                                   name, shape_text(array.shape)));
  return as_labels(array, name);
}

void require_fit(const ImportedData& data, const std::string& features_name, const std::string& targets_name) {
  const NumberArray& features = data.features;
  require(features.rows() > 0 && features.row_elements() > 0,
          fmt::format("'{}' {} is empty (it has no rows or no features). Import a file with at least one row.",
                      features_name, shape_text(features.shape)));
  require(features.rows() == data.targets.rows(),
          fmt::format("'{}' and '{}' have {} and {} rows (they must have the same number). Store one target per row.",
                      features_name, targets_name, features.rows(), data.targets.rows()));
  require_finite(features, features_name);
  require_finite(data.targets, targets_name);
}

}  // namespace sheaf
