// SPDX-License-Identifier: MIT
#include "files/hdf5/unwritten_rows.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>

#include "files/hdf5/handle.hpp"

namespace sheaf {
namespace {

void add_rows(std::vector<IndexRange>& ranges, IndexRange rows) {
  if (!ranges.empty() && ranges.back().end == rows.begin)
    ranges.back().end = rows.end;
  else
    ranges.push_back(rows);
}

// Whether a chunk of the row of chunks that begins at row `row` was never written.
bool lacks_chunk(hid_t data_set, const std::vector<std::int64_t>& shape, const std::vector<hsize_t>& chunk,
                 std::int64_t row) {
  std::vector<hsize_t> corner(shape.size(), 0);
  corner.front() = static_cast<hsize_t>(row);
  for (;;) {
    hsize_t bytes = 0;
    if (H5Dget_chunk_storage_size(data_set, corner.data(), &bytes) < 0 || bytes == 0) return true;
    std::size_t dimension = shape.size() - 1;  // advance to the next chunk; the last dimension is the fastest
    for (; dimension > 0; corner[dimension--] = 0)
      if ((corner[dimension] += chunk[dimension]) < static_cast<hsize_t>(shape[dimension])) break;
    if (dimension == 0) return false;
  }
}

}  // namespace

std::vector<IndexRange> unwritten_rows(const DataSetReader& data_set) {
  const hid_t id = data_set.id();
  const auto& shape = data_set.info().shape;
  const std::int64_t rows = data_set.info().rows();
  std::vector<IndexRange> ranges;
  if (rows == 0 || data_set.info().row_elements() == 0) return ranges;
  const Handle creation(H5Dget_create_plist(id), H5Pclose, "HDF5 cannot describe a data set");
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_CONTIGUOUS) {
    const bool is_here = H5Pget_external_count(creation.id()) == 0;
    if (is_here && H5Dget_storage_size(id) == 0) ranges.push_back({0, rows});
    return ranges;
  }
  std::vector<hsize_t> chunk(shape.size());
  if (layout != H5D_CHUNKED || H5Pget_chunk(creation.id(), static_cast<int>(chunk.size()), chunk.data()) < 0)
    return ranges;
  hsize_t expected = 1, stored = 0;
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension)
    expected *= (static_cast<hsize_t>(shape[dimension]) + chunk[dimension] - 1) / chunk[dimension];
  const Handle space(H5Dget_space(id), H5Sclose, "HDF5 cannot describe a data set");
  if (H5Dget_num_chunks(id, space.id(), &stored) < 0 || stored >= expected) return ranges;
  const auto step = static_cast<std::int64_t>(chunk.front());
  for (std::int64_t row = 0; row < rows; row += step)
    if (lacks_chunk(id, shape, chunk, row)) add_rows(ranges, {row, std::min(row + step, rows)});
  return ranges;
}

std::optional<std::string> unwritten_warning(const DataSetReader& data_set) {
  const auto ranges = unwritten_rows(data_set);
  if (ranges.empty()) return std::nullopt;
  return fmt::format(
      "the {} was never written in {}; these rows have its fill value. If they are no data, shrink the data set to the "
      "rows that were written.",
      data_set.description(), unwritten_text(ranges, data_set.info().rows()));
}

std::string unwritten_text(const std::vector<IndexRange>& ranges, std::int64_t rows) {
  constexpr std::size_t max_shown = 3;
  std::string text = "rows ";
  std::int64_t count = 0;
  for (std::size_t number = 0; number < ranges.size(); ++number) {
    count += ranges[number].count();
    if (number < max_shown)
      text += fmt::format("{}{} to {}", number == 0 ? "" : ", ", ranges[number].begin, ranges[number].end - 1);
  }
  if (ranges.size() > max_shown) text += ", ...";
  return text + fmt::format(" ({} of {})", count, rows);
}

}  // namespace sheaf
