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

// A piece: many rows at once make large products, and few enough that a core's second-level cache holds them beside
// what else is used: copies into more of it cost twice as much.
constexpr std::int64_t piece_bytes = std::int64_t{256} << 10;

// Numbers of targets that are read at a time: their chunks are much longer than those of features.
constexpr std::int64_t window_numbers = 1 << 17;

void require_finite(const StoredRows& from, const std::vector<float>& values, std::int64_t first_row) {
  const std::int64_t width = from.info().row_elements(), count = static_cast<std::int64_t>(values.size());
  const std::int64_t place = first_not_finite(values.data(), count);
  require(
      place == count,
      fmt::format("The {} holds {} in row {}, column {} (values must be finite in 32-bit floating point). Remove or "
                  "replace it.",
                  from.description(), place < count ? values[static_cast<std::size_t>(place)] : 0,
                  first_row + place / width, place % width));
}

// Of one row: an image, or as stored.
std::vector<std::int64_t> row_shape_of(const FileSchema& schema) {
  if (schema.image.channels > 0) return {schema.image.channels, schema.image.height, schema.image.width};
  const auto& shape = schema.features.shape;
  if (shape.size() == 1) return {1};
  return {shape.begin() + 1, shape.end()};
}

}  // namespace

EvaluatedRows::EvaluatedRows(const DataOptions& options, TargetsWanted wanted)
    : schema_(inspect_features(InputFile(options.file), options)),
      row_shape_(row_shape_of(schema_)),
      features_(std::make_unique<FeatureReader>(options, schema_)) {
  const std::int64_t block_bytes =
      features_->block(0).count() * schema_.feature_count * static_cast<std::int64_t>(sizeof(float));
  blocks_of_piece_ = std::max<std::int64_t>(1, piece_bytes / block_bytes);
  const DataSetInfo& info = schema_.features;
  const bool there = wanted == TargetsWanted::yes ||
                     (wanted == TargetsWanted::if_there && InputFile(options.file).has(options.targets));
  if (!there) return;
  targets_ = std::make_unique<StoredRows>(options.file, options.targets);
  const DataSetInfo& targets = targets_->info();
  require(targets.rows() == info.rows(),
          fmt::format("Data sets '{}' and '{}' of '{}' differ in length ({} and {} rows). Store a target for each "
                      "sample.",
                      options.features, options.targets, options.file, info.rows(), targets.rows()));
  require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
          fmt::format("The {} {} is not a list of targets (these are [rows] or [rows, outputs]). Name another by "
                      "--data.targets.",
                      targets_->description(), shape_text(targets.shape)));
}

std::int64_t EvaluatedRows::piece_count() const {
  return (features_->block_count() + blocks_of_piece_ - 1) / blocks_of_piece_;
}

IndexRange EvaluatedRows::rows_of(IndexRange pieces) const {
  const std::int64_t last_block = std::min(pieces.end * blocks_of_piece_, features_->block_count()) - 1;
  return {features_->block(pieces.begin * blocks_of_piece_).begin, features_->block(last_block).end};
}

void EvaluatedRows::require_unchanged() const {
  features_->require_unchanged();
  if (targets_) targets_->require_unchanged();
}

RowReader::RowReader(const EvaluatedRows& rows, Task task, std::int64_t outputs)
    : rows_(rows), task_(task), outputs_(outputs) {}

void RowReader::read(IndexRange rows) {
  here_ = rows;
  features_ = rows_.features().view_floats(rows, feature_buffers_);
  if (rows_.targets() == nullptr || (rows.begin >= window_.begin && rows.end <= window_.end)) return;
  const std::int64_t count = std::max(rows.count(), window_numbers / rows_.targets()->info().row_elements());
  window_ = {rows.begin, std::min(rows.begin + count, rows_.count())};
  if (task_ == Task::regression) {
    read_window(targets_);
    require_finite(*rows_.targets(), targets_, window_.begin);
  } else {
    std::vector<double> numbers;  // seen before they are cut to integers
    read_window(numbers);
    check_labels(numbers);
    labels_.assign(numbers.begin(), numbers.end());
  }
}

void RowReader::require_finite_features() const {
  rows_.features().require_finite(here_, features_);
}

template <class T>
void RowReader::read_window(std::vector<T>& values) {
  values.resize(static_cast<std::size_t>(window_.count() * rows_.targets()->info().row_elements()));
  rows_.targets()->read(window_, values.data(), target_buffers_);
}

void RowReader::check_labels(const std::vector<double>& numbers) {
  const auto bad = std::find_if_not(numbers.begin(), numbers.end(), [this](double label) {
    return label >= 0 && label < static_cast<double>(outputs_) && std::floor(label) == label;
  });
  if (bad != numbers.end())
    throw RunError(fmt::format(
        "The {} holds {} in row {} (the model has {} outputs, so labels are 0 to {}). Correct "
        "it, or give the data that the model was made for.",
        rows_.targets()->description(), *bad, window_.begin + (bad - numbers.begin()), outputs_, outputs_ - 1));
}

const std::int64_t* RowReader::labels() const {
  return labels_.empty() ? nullptr : labels_.data() + (here_.begin - window_.begin);
}

const float* RowReader::targets() const {
  return targets_.empty() ? nullptr : targets_.data() + (here_.begin - window_.begin) * outputs_;
}

}  // namespace sheaf
