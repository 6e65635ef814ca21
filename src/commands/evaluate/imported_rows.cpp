// SPDX-License-Identifier: MIT
#include "commands/evaluate/imported_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/padding.hpp"
#include "data/channels_first.hpp"
#include "data/column_encoding.hpp"
#include "data/description_text.hpp"
#include "data/row_layout.hpp"
#include "data/stored_offsets.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/shared_array.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

RowLayout layout_of(const NumberArray& features, const ImportedData& data, const ImageFacts& images,
                    const std::string& path) {
  RowFacts facts{features.shape, images.requested, std::nullopt, images.image, images.expected};
  if (data.channels) facts.attribute = name_of(*data.channels);
  const auto row_values = features.row_elements();
  const auto fits = [row_values](const ImageShape& image) {
    return image.channels * image.height * image.width == row_values;
  };
  require(facts.image.channels == 0 || fits(facts.image),
          fmt::format("data.image = {}x{}x{} does not match '{}' ({} values per row). Set data.image to channels x "
                      "height x width of its images.",
                      facts.image.channels, facts.image.height, facts.image.width, path, row_values));
  if (!fits(facts.expected)) facts.expected = {};
  const RowLayout layout = row_layout(facts, "data.channels", fmt::format("'{}'", path));
  require(layout.certain || !images.is_needed, [&] {
    return uncertain_layout_problem(features.shape, fmt::format("'{}'", path)) + " Set data.channels to first or last.";
  });
  return layout;
}

// The shapes of the rows, which all ranks of a node need, as numbers for a broadcast.
struct Layout {
  std::vector<std::int64_t> features;  // shape
  std::vector<std::int64_t> targets;   // shape; empty: none
  bool labels = false;                 // classes, one per row
  bool several_labels = false;         // 0 or 1 for each
  bool weights = false;

  std::size_t feature_bytes() const { return elements(features) * sizeof(float); }
  std::size_t target_bytes() const { return elements(targets) * (labels ? sizeof(std::int64_t) : sizeof(double)); }
  std::size_t weight_bytes() const { return weights ? static_cast<std::size_t>(features.front()) * sizeof(float) : 0; }
  std::size_t targets_begin() const { return round_up(feature_bytes(), 64); }
  std::size_t weights_begin() const { return round_up(targets_begin() + target_bytes(), 64); }
  std::size_t bytes() const { return weights_begin() + weight_bytes(); }

 private:
  static std::size_t elements(const std::vector<std::int64_t>& shape) {
    std::size_t count = shape.empty() ? 0 : 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
};

// Collective.
Layout broadcast_layout(const std::optional<ImportedData>& data, const ColumnEncoding& encoding,
                        const Communicator& node) {
  Layout layout;
  std::vector<std::int64_t> kinds;
  if (data) {
    layout.features = data->features.shape;
    if (!encoding.is_identity()) layout.features = {data->features.rows(), encoding.feature_count()};
    if (data->targets) layout.targets = data->targets->shape;
    kinds = {data->has_classes(), data->description.is_multilabel, data->weights.has_value()};
  }
  node.broadcast_vector(layout.features);
  node.broadcast_vector(layout.targets);
  node.broadcast_vector(kinds);
  layout.labels = kinds[0] != 0;
  layout.several_labels = kinds[1] != 0;
  layout.weights = kinds[2] != 0;
  return layout;
}

// Collective.
std::vector<DataColumn> broadcast_columns(const std::optional<ImportedData>& data, const Communicator& node) {
  const bool has_columns = data && !data->description.columns.empty();
  const std::string text = node.broadcast(has_columns ? columns_text(data->description.columns, {}) : "", 0);
  return text.empty() ? std::vector<DataColumn>() : parse_columns(text).columns;
}

// How the imported features become those of the model that the import was coded like.
ColumnEncoding encoding_of(const ImportedData& data, const DataDescription* model) {
  if (!data.description.columns.empty()) return ColumnEncoding::of(data.description.columns);
  if (model == nullptr) return {};
  std::vector<DataColumn> stored = model->columns;
  for (DataColumn& column : stored) column.offset = 0;
  std::vector<std::int64_t> positions(stored.size());
  std::iota(positions.begin(), positions.end(), std::int64_t{0});
  return ColumnEncoding::between(stored, model->columns, positions);
}

// Writes the features of all rows. Throws RunError with `path` if a number is not a code of its column.
void encode_rows(const NumberArray& stored, const ColumnEncoding& encoding, const std::string& path, float* to) {
  constexpr std::int64_t values_at_once = 1 << 16;
  const std::int64_t width = encoding.stored_count(), rows_at_once = std::max<std::int64_t>(1, values_at_once / width);
  std::vector<double> some;
  std::int64_t unknown = 0;  // the import has counted them
  visit_numbers(stored, [&](const auto* values) {
    for (std::int64_t row = 0; row < stored.rows(); row += rows_at_once) {
      const std::int64_t rows = std::min(rows_at_once, stored.rows() - row);
      some.resize(static_cast<std::size_t>(rows * width));
      std::transform(values + row * width, values + (row + rows) * width, some.begin(),
                     [](auto value) { return static_cast<double>(value); });
      const auto bad = encoding.encode(some.data(), rows, to + row * encoding.feature_count(), unknown);
      require(!bad, [&] {
        return fmt::format(
            "'{}' contains {} in row {}, column {} (the model has texts there, so it must be the number of a "
            "category). Correct it, or use a table with the texts.",
            path, bad->code, row + bad->row, bad->column);
      });
    }
  });
}

template <class Value>
void copy_as(const NumberArray& array, Value* to) {
  visit_numbers(array, [&](const auto* values) {
    std::transform(values, values + array.elements(), to, [](auto value) { return static_cast<Value>(value); });
  });
}

// Writes the targets in the units of the file.
void copy_targets(const NumberArray& targets, const std::vector<double>& offsets, double* to) {
  copy_as(targets, to);
  if (offsets.empty()) return;
  for (std::size_t index = 0; index < targets.elements(); ++index) to[index] += offsets[index % offsets.size()];
}

class MemoryRows : public EvaluatedRows {
 public:
  MemoryRows(std::string name, const Layout& layout, std::vector<DataColumn> columns,
             std::shared_ptr<NodeMemory> memory)
      : name_(std::move(name)),
        columns_(std::move(columns)),
        count_(layout.features.front()),
        row_shape_(layout.features.begin() + 1, layout.features.end()),
        memory_(std::move(memory)),
        features_(reinterpret_cast<const float*>(memory_->array.data())) {
    if (row_shape_.empty()) row_shape_ = {1};
    const std::int64_t row_bytes = feature_count() * static_cast<std::int64_t>(sizeof(float));
    batch_rows_ = std::max<std::int64_t>(1, evaluated_batch_bytes / row_bytes);
    if (layout.weights) weights_ = reinterpret_cast<const float*>(memory_->array.data() + layout.weights_begin());
    if (layout.targets.empty()) return;
    targets_ =
        TargetsInfo{fmt::format("target of '{}'", name_), layout.targets, layout.labels, false, layout.several_labels};
    const std::byte* begin = memory_->array.data() + layout.targets_begin();
    if (layout.labels)
      labels_ = reinterpret_cast<const std::int64_t*>(begin);
    else
      values_ = reinterpret_cast<const double*>(begin);
  }

  std::int64_t count() const override { return count_; }
  const std::vector<std::int64_t>& row_shape() const override { return row_shape_; }
  const TargetsInfo* targets() const override { return targets_ ? &*targets_ : nullptr; }
  const std::vector<DataColumn>& columns() const override { return columns_; }
  std::int64_t batch_count() const override { return (count_ + batch_rows_ - 1) / batch_rows_; }
  IndexRange rows_of(IndexRange batches) const override {
    return {batches.begin * batch_rows_, std::min(batches.end * batch_rows_, count_)};
  }
  std::unique_ptr<RowReader> make_reader(const ReaderOptions& options) const override;
  std::vector<double> find_target_offsets() const override {
    if (values_ == nullptr) return {};
    return column_offsets(values_, count_, targets_->columns());
  }
  void require_unchanged() const override {}  // the file was read completely

 private:
  friend class MemoryRowReader;

  std::string name_;
  std::vector<DataColumn> columns_;
  std::int64_t count_;
  std::vector<std::int64_t> row_shape_;
  std::shared_ptr<NodeMemory> memory_;
  const float* features_;
  std::int64_t batch_rows_ = 1;
  std::optional<TargetsInfo> targets_;
  const std::int64_t* labels_ = nullptr;  // one of these two, with targets
  const double* values_ = nullptr;
  const float* weights_ = nullptr;
};

class MemoryRowReader : public RowReader {
 public:
  MemoryRowReader(const MemoryRows& rows, const ReaderOptions& options) : rows_(rows), options_(options) {}

  void read(IndexRange rows) override {
    read_ = rows;
    filled_.clear();
    features_ = rows_.features_ + rows.begin * rows_.feature_count();
    if (rows_.values_ != nullptr && options_.task != Task::classification) read_targets();
    if (options_.task != Task::classification || rows_.labels_ == nullptr) return;
    const auto* begin = rows_.labels_ + rows.begin;
    const auto* end = rows_.labels_ + rows.end;
    const auto* bad = std::find_if(begin, end, [this](std::int64_t label) { return label >= options_.outputs; });
    require(bad == end, [&] {
      return fmt::format(
          "The {} has the label {} in row {} (the model has {} outputs, so labels are 0 to {}). Correct "
          "it, or use data that match the model.",
          rows_.targets_->text, *bad, bad - rows_.labels_, options_.outputs, options_.outputs - 1);
    });
  }
  const float* features() const override { return features_; }

  // The import has refused other numbers that are not finite.
  const float* filled_features(const EmptyCellFills& fills) override {
    return filled_.of(features_, read_.count(), rows_.feature_count(), fills, read_.begin,
                      fmt::format("'{}'", rows_.name_));
  }
  std::int64_t empty_cells() const override { return filled_.empty_cells(); }
  std::int64_t unknown_cells() const override { return 0; }  // the import has counted them

  const std::int64_t* labels() const override {
    return rows_.labels_ == nullptr ? nullptr : rows_.labels_ + read_.begin;
  }
  const float* targets() const override { return targets_.empty() ? nullptr : targets_.data(); }
  const float* weights() const override { return rows_.weights_ == nullptr ? nullptr : rows_.weights_ + read_.begin; }

 private:
  void read_targets() {
    const double* from = rows_.values_ + read_.begin * options_.outputs;
    const auto& offsets = options_.target_offsets;
    targets_.resize(static_cast<std::size_t>(read_.count() * options_.outputs));
    for (std::size_t index = 0; index < targets_.size(); ++index)
      targets_[index] = static_cast<float>(from[index] - (offsets.empty() ? 0 : offsets[index % offsets.size()]));
  }

  const MemoryRows& rows_;
  ReaderOptions options_;
  IndexRange read_;
  const float* features_ = nullptr;
  FilledRows filled_;
  std::vector<float> targets_;
};

std::unique_ptr<RowReader> MemoryRows::make_reader(const ReaderOptions& options) const {
  return std::make_unique<MemoryRowReader>(*this, options);
}

// Checks that all nodes imported the same file: a path may refer to a local file of each node. Collective.
void require_same_file(const std::string& path, const std::string& hash, const Communicator& world) {
  require_same_as_root(world, hash, [&](const std::string&) {
    require(hash.empty(),  // another rank of the node has imported the file
            fmt::format("File '{}' is not the same on all nodes. Use a file on a shared file system.", path));
  });
}

}  // namespace

ImportedRows import_evaluated_rows(const std::string& path, const ImportOptions& options, const ImageFacts& images,
                                   const Communicator& world, const Communicator& node) {
  std::optional<ImportedData> data;
  ColumnEncoding encoding;
  RowLayout seen;
  std::string hash;
  agree(world, [&] {
    if (!node.is_root()) return;
    data = import_files({path}, options);
    encoding = encoding_of(*data, options.csv.like);
    if (encoding.is_identity()) seen = layout_of(data->features, *data, images, path);
    const ImageShape& image = seen.image;
    if (image.channels > 0) data->features.shape = {data->features.rows(), image.channels, image.height, image.width};
    hash = content_hash(*data);
  });
  require_same_file(path, hash, world);
  const Layout layout = broadcast_layout(data, encoding, node);
  std::vector<DataColumn> columns = broadcast_columns(data, node);
  std::shared_ptr<NodeMemory> memory;
  agree(world, [&] { memory = std::make_shared<NodeMemory>(node, layout.bytes()); });
  ImportedRows imported;
  auto* features = reinterpret_cast<float*>(memory->array.data());
  agree(world, [&] {
    if (data && !encoding.is_identity()) encode_rows(data->features, encoding, path, features);
  });
  if (data) {
    std::vector<std::byte> image;
    if (encoding.is_identity()) copy_as(data->features, features);
    if (seen.channels == ChannelOrder::last) put_channels_first(seen.image, data->features.rows(), features, image);
    std::byte* targets = memory->array.data() + layout.targets_begin();
    if (data->targets && layout.labels) std::memcpy(targets, data->targets->bytes.data(), layout.target_bytes());
    if (data->targets && !layout.labels)
      copy_targets(*data->targets, data->description.target_offsets, reinterpret_cast<double*>(targets));
    if (data->weights) copy_as(*data->weights, reinterpret_cast<float*>(memory->array.data() + layout.weights_begin()));
    for (const auto& note : data->notes) log_root(note);
    if (world.is_root()) imported.ids = std::move(data->ids);
  }
  memory->array.synchronize();
  imported.rows = std::make_unique<MemoryRows>(path, layout, std::move(columns), std::move(memory));
  return imported;
}

}  // namespace sheaf
