// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluated_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/finite.hpp"
#include "files/hdf5/file.hpp"

namespace sheaf {
namespace {

// Size of a batch: many rows, for large matrix products, that still fit into a core's second-level cache with the other
// data in use. Copies into a larger buffer cost twice as much.
constexpr std::int64_t batch_bytes = std::int64_t{256} << 10;

// Number of target values that are read at once; chunks of targets have many more rows than chunks of features.
constexpr std::int64_t target_values_per_read = 1 << 17;

void require_finite(const StoredRows& from, const std::vector<float>& values, std::int64_t first_row) {
  const std::int64_t width = from.info().row_elements(), count = static_cast<std::int64_t>(values.size());
  const std::int64_t index = first_not_finite(values.data(), count);
  require(index == count,
          fmt::format("The {} has {} in row {}, column {} (values must be finite in 32-bit floating point). Remove or "
                      "replace it.",
                      from.description(), index < count ? values[static_cast<std::size_t>(index)] : 0,
                      first_row + index / width, index % width));
}

// The shape of one row: of its image, otherwise as stored.
std::vector<std::int64_t> row_shape_of(const FileSchema& schema) {
  if (schema.image.channels > 0) return {schema.image.channels, schema.image.height, schema.image.width};
  const auto& shape = schema.features.shape;
  if (shape.size() == 1) return {1};
  return {shape.begin() + 1, shape.end()};
}

}  // namespace

EvaluatedRows::EvaluatedRows(const DataOptions& options, TargetsMode mode)
    : schema_(inspect_features(InputFile(options.file), options)),
      row_shape_(row_shape_of(schema_)),
      features_(std::make_unique<FeatureReader>(options, schema_)) {
  const std::int64_t block_bytes =
      features_->block(0).count() * schema_.feature_count * static_cast<std::int64_t>(sizeof(float));
  blocks_per_batch_ = std::max<std::int64_t>(1, batch_bytes / block_bytes);
  const DataSetInfo& info = schema_.features;
  const bool reads_targets =
      mode == TargetsMode::yes || (mode == TargetsMode::if_present && InputFile(options.file).has(options.targets));
  if (!reads_targets) return;
  targets_ = std::make_unique<StoredRows>(options.file, options.targets);
  const DataSetInfo& targets = targets_->info();
  require(targets.rows() == info.rows(),
          fmt::format("Data sets '{}' and '{}' of '{}' have {} and {} rows. They must have the same number of rows.",
                      options.features, options.targets, options.file, info.rows(), targets.rows()));
  require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
          fmt::format("The {} has shape {} (targets are [rows] or [rows, outputs]). Select another data set with "
                      "--data.targets.",
                      targets_->description(), shape_text(targets.shape)));
}

std::int64_t EvaluatedRows::batch_count() const {
  return (features_->block_count() + blocks_per_batch_ - 1) / blocks_per_batch_;
}

IndexRange EvaluatedRows::rows_of(IndexRange batches) const {
  const std::int64_t last_block = std::min(batches.end * blocks_per_batch_, features_->block_count()) - 1;
  return {features_->block(batches.begin * blocks_per_batch_).begin, features_->block(last_block).end};
}

void EvaluatedRows::require_unchanged() const {
  features_->require_unchanged();
  if (targets_) targets_->require_unchanged();
}

RowReader::RowReader(const EvaluatedRows& rows, Task task, std::int64_t outputs)
    : rows_(rows), task_(task), outputs_(outputs) {}

void RowReader::read(IndexRange rows) {
  rows_read_ = rows;
  features_ = rows_.features().view_floats(rows, feature_buffers_);
  if (rows_.targets() == nullptr || (rows.begin >= target_rows_.begin && rows.end <= target_rows_.end)) return;
  const std::int64_t count = std::max(rows.count(), target_values_per_read / rows_.targets()->info().row_elements());
  target_rows_ = {rows.begin, std::min(rows.begin + count, rows_.count())};
  if (task_ == Task::regression) {
    read_targets(targets_);
    require_finite(*rows_.targets(), targets_, target_rows_.begin);
  } else {
    std::vector<double> numbers;  // checked before they are converted to integers
    read_targets(numbers);
    check_labels(numbers);
    labels_.assign(numbers.begin(), numbers.end());
  }
}

void RowReader::require_finite_features() const {
  rows_.features().require_finite(rows_read_, features_);
}

template <class T>
void RowReader::read_targets(std::vector<T>& values) {
  values.resize(static_cast<std::size_t>(target_rows_.count() * rows_.targets()->info().row_elements()));
  rows_.targets()->read(target_rows_, values.data(), target_buffers_);
}

void RowReader::check_labels(const std::vector<double>& numbers) {
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), [this](double label) {
    return label >= 0 && label < static_cast<double>(outputs_) && std::floor(label) == label;
  });
  if (bad != numbers.end())
    throw RunError(fmt::format(
        "The {} has {} in row {} (the model has {} outputs, so labels are 0 to {}). Correct "
        "it, or use data that match the model.",
        rows_.targets()->description(), *bad, target_rows_.begin + (bad - numbers.begin()), outputs_, outputs_ - 1));
}

const std::int64_t* RowReader::labels() const {
  return labels_.empty() ? nullptr : labels_.data() + (rows_read_.begin - target_rows_.begin);
}

const float* RowReader::targets() const {
  return targets_.empty() ? nullptr : targets_.data() + (rows_read_.begin - target_rows_.begin) * outputs_;
}

}  // namespace sheaf
