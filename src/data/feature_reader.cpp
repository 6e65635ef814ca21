// SPDX-License-Identifier: MIT
#include "data/feature_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/finite.hpp"
#include "data/channels_first.hpp"

namespace sheaf {

FeatureReader::FeatureReader(const DataOptions& options, const FileSchema& schema)
    : rows_(options.file, options.features),
      encoding_(schema.encoding),
      width_(schema.feature_count),
      bytes_(schema.has_byte_features()),
      accepts_empty_cells_(schema.may_have_empty_cells()) {
  if (schema.layout.channels == ChannelOrder::last) turned_ = schema.layout.image;
}

template <class Value>
void FeatureReader::read_as(IndexRange rows, Value* values, Buffers& buffers, NextUse next_use) const {
  const bool turns = turned_.channels > 1;
  rows_.read(rows, values, buffers.rows, turns ? NextUse::soon : next_use);
  if (turns) put_channels_first(turned_, rows.count(), values, buffers.image);
}

template <class Value>
void FeatureReader::encode(IndexRange rows, AlignedVector<Value>& stored, float* features, Buffers& buffers) const {
  stored.resize(static_cast<std::size_t>(rows.count() * encoding_.stored_count()));
  rows_.read(rows, stored.data(), buffers.rows);
  const auto bad = encoding_.encode(stored.data(), rows.count(), features, buffers.unknown_cells);
  if (!bad) return;
  throw BadRow(rows.begin + bad->row,
               fmt::format("The {} contains {} in row {}, column {} (it is not the number of one of the column's "
                           "categories). Import the data again.",
                           rows_.description(), bad->code, rows.begin + bad->row, bad->column));
}

void FeatureReader::read_floats(IndexRange rows, float* values, Buffers& buffers, NextUse next_use) const {
  if (encoding_.is_identity())
    read_as(rows, values, buffers, next_use);
  else if (encoding_.subtracts())
    encode(rows, buffers.stored_doubles, values, buffers);
  else
    encode(rows, buffers.stored_floats, values, buffers);
}

std::int64_t FeatureReader::count_empty_cells(IndexRange rows, const float* values) const {
  const std::int64_t count = rows.count() * width_;
  std::int64_t empty_cells = 0;
  for (std::int64_t index = first_not_finite(values, count); index < count; ++index) {
    if (std::isfinite(values[index])) continue;
    if (accepts_empty_cells_ && std::isnan(values[index])) {
      ++empty_cells;
      continue;
    }
    throw BadRow(rows.begin + index / width_,
                 fmt::format("The {} contains {} in row {}, column {} (values must be finite in 32-bit floating "
                             "point). Remove or replace it.",
                             rows_.description(), values[index], rows.begin + index / width_, index % width_));
  }
  return empty_cells;
}

void FeatureReader::read_values(IndexRange rows, std::byte* values, Buffers& buffers, NextUse next_use) const {
  if (bytes_)
    read_as(rows, reinterpret_cast<std::uint8_t*>(values), buffers, next_use);
  else
    read_floats(rows, reinterpret_cast<float*>(values), buffers, next_use);
}

void FeatureReader::read_again(IndexRange rows, std::byte* values, Buffers& buffers) const {
  read_values(rows, values, buffers, NextUse::late);
}

std::int64_t FeatureReader::read(IndexRange rows, std::byte* values, Buffers& buffers) const {
  read_values(rows, values, buffers, NextUse::soon);
  return bytes_ ? 0 : count_empty_cells(rows, reinterpret_cast<const float*>(values));
}

const float* FeatureReader::view_floats(IndexRange rows, Buffers& buffers) const {
  if (turned_.channels <= 1 && encoding_.is_identity()) return rows_.view(rows, buffers.floats, buffers.rows);
  buffers.floats.resize(static_cast<std::size_t>(rows.count() * width_));
  read_floats(rows, buffers.floats.data(), buffers, NextUse::soon);
  return buffers.floats.data();
}

}  // namespace sheaf
