// SPDX-License-Identifier: MIT
#include "data/stored_offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/log.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/column_offset.hpp"
#include "data/held_out_files.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_rows = 4096, max_values = 1 << 20, max_ranges = 32;
// The number of ranges is smaller for data sets whose blocks are large, since a chunk is decompressed as a whole.
constexpr std::int64_t max_block_bytes = std::int64_t{64} << 20;

// Ranges of rows at equal distances, from the first row to the last.
std::vector<IndexRange> sampled_ranges(std::int64_t rows, std::int64_t columns, std::int64_t most_ranges) {
  const std::int64_t wanted = std::clamp<std::int64_t>(max_values / columns, 1, max_rows);
  if (rows <= wanted) return {{0, rows}};
  const std::int64_t count = std::min(most_ranges, wanted), each = wanted / count;
  std::vector<IndexRange> ranges;
  for (std::int64_t number = 0; number < count; ++number) {
    const std::int64_t begin = count == 1 ? 0 : number * ((rows - each) / (count - 1));
    ranges.push_back({begin, begin + each});
  }
  return ranges;
}

// A sample of an array, by columns.
using Sample = std::vector<std::vector<double>>;

void add_rows(const double* values, std::int64_t rows, Sample& sample) {
  for (std::int64_t row = 0; row < rows; ++row)
    for (auto& column : sample) column.push_back(*values++);
}

Sample sample_of(const StoredRows& rows) {
  const DataSetInfo& info = rows.info();
  const std::int64_t block_bytes = rows.max_block_elements() * static_cast<std::int64_t>(info.element_bytes);
  Sample sample(static_cast<std::size_t>(info.row_elements()));
  RowBuffers buffers;
  std::vector<double> values;
  for (const IndexRange range : sampled_ranges(
           info.rows(), info.row_elements(), std::clamp<std::int64_t>(max_block_bytes / block_bytes, 4, max_ranges))) {
    values.resize(static_cast<std::size_t>(range.count() * info.row_elements()));
    rows.read(range, values.data(), buffers);
    add_rows(values.data(), range.count(), sample);
  }
  return sample;
}

std::vector<double> offsets_of(const Sample& sample) {
  std::vector<double> offsets;
  for (const auto& column : sample) offsets.push_back(column_offset(column));
  const bool any = std::any_of(offsets.begin(), offsets.end(), [](double offset) { return offset != 0; });
  return any ? offsets : std::vector<double>();
}

// Whether float represents all numbers of the type, apart from denormal ones.
bool fits_float(const DataSetInfo& info) {
  return info.element_bytes < (info.number_class == NumberClass::real ? 8 : 4);
}

bool is_float(const DataSetInfo& info) {
  return info.number_class == NumberClass::real && info.element_bytes == sizeof(float);
}

std::string name_of(const std::vector<std::string>& names, std::size_t column, const char* kind) {
  return column < names.size() && !names[column].empty() ? quoted(names[column]) : fmt::format("{} {}", kind, column);
}

// The columns of a sample that have lost digits.
void add_lossy(const Sample& sample, const std::vector<std::string>& names, const char* kind,
               std::vector<std::string>& lossy) {
  for (std::size_t column = 0; column < sample.size(); ++column)
    if (has_lost_digits(sample[column])) lossy.push_back(name_of(names, column, kind));
}

void warn_of_lost_digits(const std::string& file, const std::vector<std::string>& lossy) {
  if (lossy.empty()) return;
  warn_root(
      fmt::format("{} of '{}' {} lost digits (32-bit floating point does not distinguish neighboring values). "
                  "Store {} as 64-bit floating point.",
                  listed(lossy), file, lossy.size() == 1 ? "has" : "have", lossy.size() == 1 ? "it" : "them"));
}

// The offsets of rank 0; one number per column.
struct Offsets {
  std::vector<double> features, targets;
};

Offsets find_offsets(const DataOptions& options, const FileSchema& schema) {
  Offsets offsets;
  std::vector<std::string> lossy;
  const bool as_stored = schema.form == FeatureForm::features && schema.layout.image.channels == 0;
  if (as_stored && (!fits_float(schema.features) || is_float(schema.features))) {
    const Sample sample = sample_of(StoredRows(options.file, options.features));
    if (is_float(schema.features))
      add_lossy(sample, column_names(schema.description.columns), "feature", lossy);
    else
      offsets.features = offsets_of(sample);
  }
  const bool has_own = !schema.description.target_offsets.empty();
  if (options.task == Task::regression && !has_own && (!fits_float(schema.targets) || is_float(schema.targets))) {
    const Sample sample = sample_of(StoredRows(options.file, options.targets));
    if (is_float(schema.targets))
      add_lossy(sample, schema.description.target_names, "target", lossy);
    else
      offsets.targets = offsets_of(sample);
  }
  warn_of_lost_digits(options.file, lossy);
  return offsets;
}

}  // namespace

std::vector<double> column_offsets(const double* values, std::int64_t rows, std::int64_t columns) {
  Sample sample(static_cast<std::size_t>(columns));
  for (const IndexRange range : sampled_ranges(rows, columns, max_ranges))
    add_rows(values + range.begin * columns, range.count(), sample);
  return offsets_of(sample);
}

std::vector<double> column_offsets(const StoredRows& rows) {
  return fits_float(rows.info()) ? std::vector<double>() : offsets_of(sample_of(rows));
}

FileSchema with_offsets(const DataOptions& options, FileSchema schema, const Communicator& world) {
  if (options.task != Task::regression) schema.description.target_offsets.clear();  // an attribute of other meaning
  Offsets offsets;
  agree(world, [&] {
    if (world.is_root()) offsets = find_offsets(options, schema);
  });
  world.broadcast_vector(offsets.features);
  world.broadcast_vector(offsets.targets);
  if (!offsets.features.empty()) {
    schema.description = with_columns(std::move(schema.description), schema.feature_count);
    for (std::size_t column = 0; column < offsets.features.size(); ++column)
      schema.description.columns[column].offset = offsets.features[column];
    schema.encoding = ColumnEncoding::subtracting(offsets.features);
  }
  if (!offsets.targets.empty()) {
    schema.subtracted_targets = offsets.targets;
    schema.description.target_offsets = std::move(offsets.targets);
  }
  for (FileSchema& other : schema.held_out) {
    if (options.task != Task::regression) other.description.target_offsets.clear();
    use_offsets_of(schema, other);
  }
  return schema;
}

std::vector<double> repeated_offsets(const std::vector<double>& target_offsets, std::int64_t outputs) {
  if (target_offsets.size() != 1) return target_offsets;
  return std::vector<double>(static_cast<std::size_t>(outputs), target_offsets.front());
}

}  // namespace sheaf
