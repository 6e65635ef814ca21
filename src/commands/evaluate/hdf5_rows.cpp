// SPDX-License-Identifier: MIT
#include "commands/evaluate/hdf5_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/error.hpp"
#include "core/finite.hpp"
#include "core/log.hpp"
#include "core/quoted.hpp"
#include "data/column_encoding.hpp"
#include "data/feature_reader.hpp"
#include "data/file_schema.hpp"
#include "data/import/class_labels.hpp"
#include "data/stored_offsets.hpp"
#include "data/target_coding.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/stored_rows.hpp"

namespace sheaf {
namespace {

// Number of target values that are read at once; chunks of targets have many more rows than chunks of features.
constexpr std::int64_t target_values_per_read = 1 << 17;

// Of several labels per row.
void require_binary(const StoredRows& from, const std::vector<float>& values, std::int64_t first_row) {
  const auto bad = std::find_if_not(values.begin(), values.end(), [](float value) { return value == 0 || value == 1; });
  const std::int64_t width = from.info().row_elements(), index = bad - values.begin();
  require(bad == values.end(), [&] {
    return fmt::format("The {} has {} in row {}, column {} (labels are 0 or 1). Correct it.", from.description(), *bad,
                       first_row + index / width, index % width);
  });
}

void require_finite(const StoredRows& from, const std::vector<float>& values, std::int64_t first_row) {
  const std::int64_t width = from.info().row_elements(), count = static_cast<std::int64_t>(values.size());
  const std::int64_t index = first_not_finite(values.data(), count);
  require(index == count,
          fmt::format("The {} has {} in row {}, column {} (values must be finite in 32-bit floating point). Remove or "
                      "replace it.",
                      from.description(), index < count ? values[static_cast<std::size_t>(index)] : 0,
                      first_row + index / width, index % width));
}

void require_weights(const StoredRows& from, const std::vector<float>& values, std::int64_t first_row) {
  const auto bad =
      std::find_if_not(values.begin(), values.end(), [](float value) { return std::isfinite(value) && value >= 0; });
  require(bad == values.end(),
          [&] { return bad_weight_text(from.description(), *bad, first_row + (bad - values.begin())); });
}

// The shape of one row: that of the image if it is one, otherwise as stored.
std::vector<std::int64_t> row_shape_of(const FileSchema& schema) {
  const ImageShape& image = schema.layout.image;
  if (!schema.encoding.is_identity()) return {schema.feature_count};
  if (image.channels > 0) return {image.channels, image.height, image.width};
  const auto& shape = schema.features.shape;
  if (shape.size() == 1) return {1};
  return {shape.begin() + 1, shape.end()};
}

bool is_identity(const std::vector<std::int64_t>& positions) {
  for (std::size_t index = 0; index < positions.size(); ++index)
    if (positions[index] != static_cast<std::int64_t>(index)) return false;
  return true;
}

std::vector<std::int64_t> positions_of(const std::vector<DataColumn>& present, const std::vector<DataColumn>& wanted,
                                       const std::string& present_name, const std::string& wanted_name) {
  std::vector<std::int64_t> positions(wanted.size());
  std::iota(positions.begin(), positions.end(), 0);
  if (!has_names(present) || !has_names(wanted)) return positions;
  return match_names(column_names(present), column_names(wanted), present_name, wanted_name,
                     "Store only the features of the model.");
}

// The positions of the columns of the file, without those that were left out when the model's data were imported.
std::vector<std::int64_t> used_columns(const std::vector<DataColumn>& columns, const DataDescription& model) {
  using Names = std::unordered_set<std::string>;  // there may be thousands
  const auto names = column_names(model.columns);
  const Names wanted(names.begin(), names.end());
  const Names dropped(model.dropped_columns.begin(), model.dropped_columns.end());
  std::vector<std::int64_t> used;
  for (std::size_t index = 0; index < columns.size(); ++index)
    if (wanted.count(columns[index].name) > 0 || dropped.count(columns[index].name) == 0)
      used.push_back(static_cast<std::int64_t>(index));
  return used;
}

void require_same_kind(const DataColumn& stored, const DataColumn& wanted, const std::string& file_name,
                       const std::string& model_name) {
  const auto kind = [](const DataColumn& column) { return column.is_text() ? "texts" : "numbers"; };
  require(stored.is_text() == wanted.is_text(), [&] {
    return fmt::format("Column {} of {} has {}, but that of {} has {}. Import the file again with --like.",
                       quoted(stored.name), file_name, kind(stored), model_name, kind(wanted));
  });
}

// How the stored rows of a file become the features of a model, which may have no description.
ColumnEncoding encoding_for(const FileSchema& file, const DataDescription& model, const std::string& file_name,
                            const std::string& model_name) {
  const bool by_column = file.form == FeatureForm::columns;
  const std::vector<DataColumn> stored = with_columns(file.description, file.features.row_elements()).columns;
  std::vector<DataColumn> wanted = model.columns;
  if (wanted.empty()) {
    wanted = stored;
    for (DataColumn& column : wanted) column.offset = 0;
  }
  const auto used = used_columns(stored, model);
  const bool named = has_names(stored) && has_names(wanted);
  if (!named && !by_column && used.size() != wanted.size()) return {};  // find_output_count() refuses the file
  require(named || used.size() == wanted.size(), [&] {
    return fmt::format("{} has {} columns, but {} has {}. Use data with the same columns.", file_name, used.size(),
                       model_name, wanted.size());
  });
  std::vector<DataColumn> present;
  for (const std::int64_t position : used) present.push_back(stored[static_cast<std::size_t>(position)]);
  std::vector<std::int64_t> positions;
  for (const std::int64_t place : positions_of(present, wanted, file_name, model_name)) {
    require_same_kind(present[static_cast<std::size_t>(place)], wanted[positions.size()], file_name, model_name);
    positions.push_back(used[static_cast<std::size_t>(place)]);
  }
  return ColumnEncoding::between(stored, wanted, positions);
}

// The schema of the file, with the encoding for the model.
FileSchema schema_for(const DataOptions& options, const DataDescription& model, const std::string& model_name,
                      const ImageShape& expected) {
  FileSchema schema = inspect_features(InputFile(options.file), options, expected);
  schema.encoding = encoding_for(schema, model, fmt::format("'{}'", options.file), model_name);
  if (!schema.encoding.is_identity()) schema.feature_count = schema.encoding.feature_count();
  return schema;
}

// For each label of the file, its number in the model; empty if they are the same or have no names.
std::vector<std::int64_t> class_order(const DataDescription& file, const DataDescription& model,
                                      const std::string& description) {
  std::vector<std::int64_t> order;
  if (file.class_names.empty() || model.class_names.empty()) return order;
  const KnownClasses known(model.class_names, description);
  for (const auto& name : file.class_names) order.push_back(known.find(name));
  return is_identity(order) ? std::vector<std::int64_t>() : order;
}

class Hdf5Rows : public EvaluatedRows {
 public:
  // `expected`: as for inspect_features().
  Hdf5Rows(const DataOptions& options, TargetsMode mode, const DataDescription& model, const std::string& model_name,
           const ImageShape& expected)
      : schema_(schema_for(options, model, model_name, expected)),
        row_shape_(row_shape_of(schema_)),
        features_(std::make_unique<FeatureReader>(options, schema_)) {
    const std::int64_t block_bytes =
        features_->block(0).count() * schema_.feature_count * static_cast<std::int64_t>(sizeof(float));
    blocks_per_batch_ = std::max<std::int64_t>(1, evaluated_batch_bytes / block_bytes);
    const bool reads_targets =
        mode == TargetsMode::yes || (mode == TargetsMode::if_present && InputFile(options.file).has(options.targets));
    if (reads_targets) open_targets(options, model, model_name);
    if (!options.weights.empty()) {
      weights_ = std::make_unique<StoredRows>(options.file, options.weights);
      check_weights(options, schema_.features, weights_->info());
    }
  }

  const FileSchema& schema() const { return schema_; }
  std::int64_t count() const override { return schema_.rows; }
  const std::vector<std::int64_t>& row_shape() const override { return row_shape_; }
  const TargetsInfo* targets() const override { return targets_ ? &targets_info_ : nullptr; }
  const std::vector<DataColumn>& columns() const override { return schema_.description.columns; }

  std::int64_t batch_count() const override {
    return (features_->block_count() + blocks_per_batch_ - 1) / blocks_per_batch_;
  }
  IndexRange rows_of(IndexRange batches) const override {
    const std::int64_t last_block = std::min(batches.end * blocks_per_batch_, features_->block_count()) - 1;
    return {features_->block(batches.begin * blocks_per_batch_).begin, features_->block(last_block).end};
  }

  std::unique_ptr<RowReader> make_reader(const ReaderOptions& options) const override;

  std::vector<double> find_target_offsets() const override {
    if (!schema_.description.target_offsets.empty()) return schema_.description.target_offsets;
    return column_offsets(*targets_);
  }

  void require_unchanged() const override {
    features_->require_unchanged();
    if (targets_) targets_->require_unchanged();
    if (weights_) weights_->require_unchanged();
  }

 private:
  friend class Hdf5RowReader;

  void open_targets(const DataOptions& options, const DataDescription& model, const std::string& model_name) {
    targets_ = std::make_unique<StoredRows>(options.file, options.targets, Values::numbers_or_texts);
    const DataSetInfo& targets = targets_->info();
    require(targets.rows() == schema_.rows,
            fmt::format("Data sets '{}' and '{}' of '{}' have {} and {} rows. They must have the same number of rows.",
                        options.features, options.targets, options.file, schema_.rows, targets.rows()));
    require(targets.shape.size() <= 2 && targets.row_elements() >= 1,
            fmt::format("The {} has shape {} (targets are [rows] or [rows, outputs]). Select another data set with "
                        "--data.targets.",
                        targets_->description(), shape_text(targets.shape)));
    targets_info_ = {targets_->description(), targets.shape, targets.number_class == NumberClass::integer,
                     targets.number_class == NumberClass::text};
    if (targets_info_.texts) classes_.emplace(model.class_names, targets_->description());
    class_order_ = class_order(schema_.description, model, targets_->description());
    const auto& names = schema_.description.target_names;
    require(names.size() < 2 || model.target_names.size() < 2 || names == model.target_names, [&] {
      return fmt::format("The {} has the columns {}, but {} predicts {}. Store the targets in the order of the model.",
                         targets_->description(), fmt::join(names, ", "), model_name,
                         fmt::join(model.target_names, ", "));
    });
  }

  FileSchema schema_;
  std::vector<std::int64_t> row_shape_;
  std::unique_ptr<FeatureReader> features_;
  std::unique_ptr<StoredRows> targets_, weights_;
  TargetsInfo targets_info_;
  std::vector<std::int64_t> class_order_;
  std::optional<TextLabels> classes_;  // for labels of text
  std::int64_t blocks_per_batch_ = 1;
};

class Hdf5RowReader : public RowReader {
 public:
  Hdf5RowReader(const Hdf5Rows& rows, const ReaderOptions& options)
      : rows_(rows), task_(options.task), outputs_(options.outputs) {
    // The targets of the file are without its own offsets.
    const auto& own = rows.schema_.description.target_offsets;
    if (options.task != Task::regression || (options.target_offsets.empty() && own.empty())) return;
    for (std::size_t output = 0; output < static_cast<std::size_t>(outputs_); ++output) {
      const double wanted = options.target_offsets.empty() ? 0 : options.target_offsets[output];
      subtracted_.push_back(wanted - (own.empty() ? 0 : own[output]));
    }
  }

  void read(IndexRange rows) override {
    rows_read_ = rows;
    has_empty_cells_.reset();
    filled_.clear();
    features_ = rows_.features_->view_floats(rows, feature_buffers_);
    if (!rows_.targets_ || (rows.begin >= target_rows_.begin && rows.end <= target_rows_.end)) return;
    const std::int64_t count = std::max(rows.count(), target_values_per_read / rows_.targets_->info().row_elements());
    target_rows_ = {rows.begin, std::min(rows.begin + count, rows_.count())};
    if (rows_.weights_) read_weights();
    if (task_ == Task::regression && !subtracted_.empty()) {
      read_targets(target_numbers_);
      targets_.resize(target_numbers_.size());
      for (std::size_t index = 0; index < targets_.size(); ++index)
        targets_[index] = static_cast<float>(target_numbers_[index] - subtracted_[index % subtracted_.size()]);
      require_finite(*rows_.targets_, targets_, target_rows_.begin);
    } else if (task_ != Task::classification) {
      read_targets(targets_);
      require_finite(*rows_.targets_, targets_, target_rows_.begin);
      if (task_ == Task::multilabel) require_binary(*rows_.targets_, targets_, target_rows_.begin);
    } else if (rows_.classes_) {
      labels_.clear();
      for (const auto& text : rows_.targets_->read_texts(target_rows_)) {
        labels_.push_back(rows_.classes_->find(text));
        require(labels_.back() < outputs_, [&] {
          return fmt::format(
              "The {} has the label {} (the model has {} outputs, so labels are 0 to {}). Correct it, or "
              "use data that match the model.",
              rows_.targets_->description(), quoted(text), outputs_, outputs_ - 1);
        });
      }
    } else {
      std::vector<double> numbers;  // checked before they are converted to integers
      read_targets(numbers);
      if (const std::int64_t columns = rows_.targets_info_.columns(); columns > 1)
        numbers = one_hot_labels(numbers, columns);
      find_labels(numbers);
    }
  }

  const float* features() const override { return features_; }
  const float* filled_features(const EmptyCellFills& fills) override {
    if (!has_empty_cells_) has_empty_cells_ = rows_.features_->count_empty_cells(rows_read_, features_) > 0;
    if (!*has_empty_cells_) return nullptr;
    return filled_.of(features_, rows_read_.count(), rows_.feature_count(), fills, rows_read_.begin,
                      fmt::format("The {}", rows_.features_->description()));
  }
  std::int64_t empty_cells() const override { return filled_.empty_cells(); }
  std::int64_t unknown_cells() const override { return feature_buffers_.unknown_cells; }
  const std::int64_t* labels() const override {
    return labels_.empty() ? nullptr : labels_.data() + (rows_read_.begin - target_rows_.begin);
  }
  const float* targets() const override {
    return targets_.empty() ? nullptr : targets_.data() + (rows_read_.begin - target_rows_.begin) * outputs_;
  }
  const float* weights() const override {
    return weights_.empty() ? nullptr : weights_.data() + (rows_read_.begin - target_rows_.begin);
  }

 private:
  template <class T>
  void read_targets(std::vector<T>& values) {
    values.resize(static_cast<std::size_t>(target_rows_.count() * rows_.targets_->info().row_elements()));
    rows_.targets_->read(target_rows_, values.data(), target_buffers_);
  }

  void read_weights() {
    weights_.resize(static_cast<std::size_t>(target_rows_.count()));
    rows_.weights_->read(target_rows_, weights_.data(), weight_buffers_);
    require_weights(*rows_.weights_, weights_, target_rows_.begin);
  }

  std::vector<double> one_hot_labels(const std::vector<double>& numbers, std::int64_t columns) const {
    std::vector<double> labels;
    for (const double* row = numbers.data(); row != numbers.data() + numbers.size(); row += columns) {
      labels.push_back(static_cast<double>(one_hot_class(row, columns)));
      require(labels.back() >= 0, [&] {
        return fmt::format(
            "The {} has several columns, but row {} is not one-hot (exactly one 1, otherwise 0). Store "
            "one label per row, or set --data.task=multilabel if the columns are labels.",
            rows_.targets_->description(), target_rows_.begin + static_cast<std::int64_t>(labels.size()) - 1);
      });
    }
    return labels;
  }

  void find_labels(const std::vector<double>& numbers) {
    const auto& order = rows_.class_order_;
    const auto limit = order.empty() ? static_cast<double>(outputs_) : static_cast<double>(order.size());
    const auto bad = std::find_if_not(numbers.begin(), numbers.end(), [limit](double label) {
      return label >= 0 && label < limit && std::floor(label) == label;
    });
    if (bad != numbers.end())
      throw RunError(
          fmt::format("The {} has {} in row {} ({}, so labels are 0 to {}). Correct it, or use data that "
                      "match the model.",
                      rows_.targets_->description(), *bad, target_rows_.begin + (bad - numbers.begin()),
                      order.empty() ? fmt::format("the model has {} outputs", outputs_)
                                    : fmt::format("its attribute class_names has {} names", limit),
                      limit - 1));
    labels_.assign(numbers.begin(), numbers.end());
    if (order.empty()) return;
    for (std::int64_t& label : labels_) label = order[static_cast<std::size_t>(label)];
  }

  const Hdf5Rows& rows_;
  Task task_;
  std::int64_t outputs_;
  const float* features_ = nullptr;
  FeatureReader::Buffers feature_buffers_;
  std::optional<bool> has_empty_cells_;  // in the rows read, once it is known
  FilledRows filled_;
  std::vector<double> subtracted_;      // from targets; empty: nothing
  std::vector<double> target_numbers_;  // before that
  RowBuffers target_buffers_, weight_buffers_;
  IndexRange rows_read_;    // by the last read()
  IndexRange target_rows_;  // whose targets and weights are in memory
  std::vector<std::int64_t> labels_;
  std::vector<float> targets_, weights_;
};

std::unique_ptr<RowReader> Hdf5Rows::make_reader(const ReaderOptions& options) const {
  return std::make_unique<Hdf5RowReader>(*this, options);
}

}  // namespace

std::unique_ptr<EvaluatedRows> open_hdf5_rows(const DataOptions& options, TargetsMode mode, const OpenedModel& model,
                                              const std::string& model_name) {
  const ModelDescription description = model.trained ? model.trained->description : ModelDescription();
  auto rows = std::make_unique<Hdf5Rows>(options, mode, description.data, model_name, description.shape.image);
  if (model.trained)
    require_same_preprocessing(rows->schema().description, description.data, fmt::format("'{}'", options.file),
                               model_name);
  if (!model.trained || takes_images(description.model.kind)) require_certain_layout(rows->schema(), options);
  return rows;
}

}  // namespace sheaf
