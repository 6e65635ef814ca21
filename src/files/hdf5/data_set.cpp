// SPDX-License-Identifier: MIT
#include "files/hdf5/data_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <cassert>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "files/hdf5/text_values.hpp"

namespace sheaf {
namespace {

// HDF5 reads and converts numbers one buffer at a time. Its default of 1 MiB leads to small reads.
constexpr std::size_t conversion_buffer_bytes = std::size_t{8} << 20;

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
}

Handle transfer_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "HDF5 cannot prepare a transfer");
  H5Pset_buffer(properties.id(), conversion_buffer_bytes, nullptr, nullptr);
  return properties;
}

// Selects the elements of `rows` in the file.
Handle select_rows(hid_t data_set, const DataSetInfo& info, IndexRange rows) {
  Handle space(H5Dget_space(data_set), H5Sclose, "HDF5 cannot describe a data set");
  std::vector<hsize_t> start(info.shape.size(), 0);
  std::vector<hsize_t> count(info.shape.begin(), info.shape.end());
  start.front() = static_cast<hsize_t>(rows.begin);
  count.front() = static_cast<hsize_t>(rows.count());
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  return space;
}

}  // namespace

std::int64_t DataSetInfo::row_elements() const {
  std::int64_t elements = 1;
  for (std::size_t dimension = 1; dimension < shape.size(); ++dimension) elements *= shape[dimension];
  return elements;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

DataSetReader::DataSetReader(Handle handle, DataSetInfo info, std::string description)
    : handle_(std::move(handle)), info_(std::move(info)), description_(std::move(description)) {}

void DataSetReader::read_as(hid_t type, IndexRange rows, void* values) const {
  assert(rows.empty() || (rows.begin >= 0 && rows.end <= info_.rows()));
  if (rows.empty()) return;
  const Handle file_space = select_rows(handle_.id(), info_, rows);
  const auto element_count = static_cast<hsize_t>(rows.count() * info_.row_elements());
  const Handle memory_space(H5Screate_simple(1, &element_count, nullptr), H5Sclose, "HDF5 cannot describe memory");
  const Handle properties = transfer_properties();
  if (H5Dread(handle_.id(), type, memory_space.id(), file_space.id(), properties.id(), values) < 0)
    throw RunError(fmt::format("Rows {} to {} of {} cannot be read ({}). Copy or recreate the file.", rows.begin,
                               rows.end - 1, description_, hdf5_reason()));
}

template <class T>
void DataSetReader::read_rows(IndexRange rows, T* values) const {
  read_as(native_type<T>(), rows, values);
}

std::vector<std::string> DataSetReader::read_text_rows(IndexRange rows) const {
  const Handle type(H5Dget_type(handle_.id()), H5Tclose, "HDF5 cannot describe a data set");
  const auto count = static_cast<hsize_t>(rows.count() * info_.row_elements());
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "HDF5 cannot describe memory");
  return read_texts(type.id(), space.id(), count, [&](void* values) { read_as(type.id(), rows, values); });
}

template void DataSetReader::read_rows(IndexRange, float*) const;
template void DataSetReader::read_rows(IndexRange, double*) const;
template void DataSetReader::read_rows(IndexRange, std::int64_t*) const;
template void DataSetReader::read_rows(IndexRange, std::uint8_t*) const;

}  // namespace sheaf
