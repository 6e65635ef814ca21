// SPDX-License-Identifier: MIT
#include "files/hdf5/table_reader.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <cstring>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {

TableReader::TableReader(Handle handle, std::string description)
    : handle_(std::move(handle)), description_(std::move(description)) {
  const std::string problem = "HDF5 cannot describe " + description_;
  const Handle type(H5Dget_type(handle_.id()), H5Tclose, problem);
  const Handle space(H5Dget_space(handle_.id()), H5Sclose, problem);
  require(H5Tget_class(type.id()) == H5T_COMPOUND && H5Sget_simple_extent_ndims(space.id()) == 1,
          fmt::format("The {} is not a table. Create the file again.", description_));
  rows_ = H5Sget_simple_extent_npoints(space.id());
}

bool TableReader::has_column(const std::string& column) const {
  const Handle type(H5Dget_type(handle_.id()), H5Tclose, "HDF5 cannot describe " + description_);
  return H5Tget_member_index(type.id(), column.c_str()) >= 0;
}

// The type of a column whose values, or elements of arrays, are of this class.
Handle TableReader::column_type(const std::string& column, int type_class) const {
  const std::string problem = fmt::format("HDF5 cannot describe '{}' of {}", column, description_);
  const Handle row(H5Dget_type(handle_.id()), H5Tclose, problem);
  const int number = H5Tget_member_index(row.id(), column.c_str());
  require(number >= 0, fmt::format("The {} has no column '{}'. Create the file again.", description_, column));
  Handle type(H5Tget_member_type(row.id(), static_cast<unsigned>(number)), H5Tclose, problem);
  H5T_class_t found = H5Tget_class(type.id());
  if (found == H5T_ARRAY) {
    const Handle element(H5Tget_super(type.id()), H5Tclose, problem);
    found = H5Tget_class(element.id());
  }
  const bool is_number = found == H5T_INTEGER || found == H5T_FLOAT;
  require(
      type_class == H5T_STRING ? found == H5T_STRING && H5Tis_variable_str(type.id()) == 0 : is_number,
      fmt::format("The column '{}' of {} has values of another type. Create the file again.", column, description_));
  return type;
}

std::size_t TableReader::width(const std::string& column) const {
  const Handle type = column_type(column, H5T_FLOAT);
  if (H5Tget_class(type.id()) != H5T_ARRAY) return 1;
  hsize_t extent = 0;
  require(H5Tget_array_ndims(type.id()) == 1 && H5Tget_array_dims2(type.id(), &extent) == 1,
          fmt::format("The column '{}' of {} has no lists of numbers. Create the file again.", column, description_));
  return extent;
}

// `type`: of the values in memory, which have `bytes` per row.
void TableReader::read_members(const std::string& column, std::int64_t type, std::size_t bytes, IndexRange rows,
                               void* values) const {
  if (rows.empty()) return;
  const std::string problem = fmt::format("HDF5 cannot read '{}' of {}", column, description_);
  const Handle row(H5Tcreate(H5T_COMPOUND, bytes), H5Tclose, problem);
  check_hdf5(H5Tinsert(row.id(), column.c_str(), 0, type), problem);
  const Handle file_space(H5Dget_space(handle_.id()), H5Sclose, problem);
  const auto begin = static_cast<hsize_t>(rows.begin), count = static_cast<hsize_t>(rows.count());
  check_hdf5(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, &begin, nullptr, &count, nullptr), problem);
  const Handle memory_space(H5Screate_simple(1, &count, nullptr), H5Sclose, problem);
  check_hdf5(H5Dread(handle_.id(), row.id(), memory_space.id(), file_space.id(), H5P_DEFAULT, values), problem);
}

template <class T>
std::vector<T> TableReader::read(const std::string& column, IndexRange rows) const {
  const std::size_t numbers = width(column);
  std::vector<T> values(static_cast<std::size_t>(rows.count()) * numbers);
  const Handle stored = column_type(column, H5T_FLOAT);
  const hid_t number = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  if (H5Tget_class(stored.id()) == H5T_ARRAY) {
    const hsize_t extent = numbers;
    const Handle array(H5Tarray_create2(number, 1, &extent), H5Tclose, "HDF5 cannot describe numbers");
    read_members(column, array.id(), numbers * sizeof(T), rows, values.data());
  } else {
    read_members(column, number, sizeof(T), rows, values.data());
  }
  return values;
}

template std::vector<double> TableReader::read(const std::string&, IndexRange) const;
template std::vector<std::int64_t> TableReader::read(const std::string&, IndexRange) const;

std::vector<std::string> TableReader::read_texts(const std::string& column, IndexRange rows) const {
  const Handle type = column_type(column, H5T_STRING);
  const std::size_t bytes = H5Tget_size(type.id());
  std::string values(static_cast<std::size_t>(rows.count()) * bytes, '\0');
  read_members(column, type.id(), bytes, rows, values.data());
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count()); ++row) {
    const char* text = values.data() + row * bytes;
    texts.push_back(as_utf8({text, ::strnlen(text, bytes)}));
  }
  return texts;
}

}  // namespace sheaf
