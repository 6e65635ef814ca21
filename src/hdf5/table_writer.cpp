// SPDX-License-Identifier: MIT
#include "hdf5/table_writer.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "core/error.hpp"
#include "core/index_range.hpp"
#include "hdf5/native_type.hpp"

namespace sheaf {
namespace {

// Rows that are packed and written at a time.
constexpr std::int64_t rows_per_write = 65536;

// The least by which the file in memory grows at a time.
constexpr std::size_t least_memory_increment = std::size_t{4} << 20;

// Of an array of numbers: large enough for a parallel file system, small enough that ranks can share them out.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

using Texts = std::vector<std::string>;

// Throws RunError with the system's reason unless `good`.
void require_system(bool good, const std::string& problem) {
  if (!good) throw RunError(problem + " (" + std::strerror(errno) + "). Choose a place with room where you may write.");
}

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "HDF5 cannot describe text");
  check_hdf5(H5Tset_size(type.id(), bytes), "HDF5 cannot describe text");
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

// In bytes; at least 1, since HDF5 has no text of no bytes.
std::size_t longest(const Texts& texts) {
  std::size_t bytes = 1;
  for (const auto& text : texts) bytes = std::max(bytes, text.size());
  return bytes;
}

std::int64_t row_count(const TableColumn& column) {
  return std::visit([](const auto& values) { return static_cast<std::int64_t>(values.size()); }, column.values);
}

std::size_t cell_bytes(const TableColumn& column) {
  const auto* texts = std::get_if<Texts>(&column.values);
  return texts ? longest(*texts) : 8;
}

// Puts the cells of `rows` at every row_bytes from `cell` on; text is padded by the zeros that are there.
void pack_column(const TableColumn& column, IndexRange rows, std::size_t row_bytes, std::byte* cell) {
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        for (std::int64_t row = rows.begin; row < rows.end; ++row, cell += row_bytes) {
          const Value& value = values[static_cast<std::size_t>(row)];
          if constexpr (std::is_same_v<Value, std::string>)
            std::memcpy(cell, value.data(), value.size());
          else
            std::memcpy(cell, &value, sizeof value);
        }
      },
      column.values);
}

// A table's rows as HDF5 sees them, and where each column's cell stands in one.
struct RowLayout {
  Handle type;
  std::size_t bytes = 0;
  std::vector<std::size_t> offsets;
};

RowLayout row_layout(const std::vector<TableColumn>& columns, const std::string& problem) {
  RowLayout layout;
  for (const auto& column : columns) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += cell_bytes(column);
  }
  layout.type = Handle(H5Tcreate(H5T_COMPOUND, layout.bytes), H5Tclose, problem);
  for (std::size_t number = 0; number < columns.size(); ++number) {
    const auto& column = columns[number];
    Handle text;
    hid_t type = std::holds_alternative<std::vector<double>>(column.values) ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    if (std::holds_alternative<Texts>(column.values)) {
      text = text_type(cell_bytes(column));
      type = text.id();
    }
    check_hdf5(H5Tinsert(layout.type.id(), column.name.c_str(), layout.offsets[number], type), problem);
  }
  return layout;
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path, std::size_t expected_bytes)
    : path_(path), output_(std::fopen(path.c_str(), "wb"), std::fclose) {
  require_system(output_ != nullptr, problem());
  silence_hdf5();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, problem());
  // Chunks that are not full and HDF5's own records take a little more than what is expected.
  const std::size_t increment = least_memory_increment + expected_bytes + expected_bytes / 256;
  check_hdf5(H5Pset_fapl_core(access.id(), increment, false), problem());
  handle_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose, problem());
}

std::string Hdf5Writer::problem() const {
  return fmt::format("HDF5 file '{}' cannot be written", path_);
}

Handle Hdf5Writer::create_data_set(const std::string& name, std::int64_t type, std::int64_t space,
                                   std::int64_t creation) const {
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, problem());
  H5Pset_create_intermediate_group(link.id(), 1);
  H5Pset_char_encoding(link.id(), H5T_CSET_UTF8);
  return Handle(H5Dcreate2(handle_.id(), name.c_str(), type, space, link.id(), creation, H5P_DEFAULT), H5Dclose,
                problem());
}

void Hdf5Writer::write_attribute(const std::string& name, const AttributeValue& value) {
  const auto write = [&](hid_t type, const void* data) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose, problem());
    Handle attribute(H5Acreate2(handle_.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                     problem());
    check_hdf5(H5Awrite(attribute.id(), type, data), problem());
    attribute.close(problem());
  };
  if (const auto* text = std::get_if<std::string>(&value)) {
    const char* characters = text->c_str();
    write(text_type(H5T_VARIABLE).id(), &characters);  // variable, so that h5py gives str and not bytes
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    write(H5T_NATIVE_INT64, integer);
  } else {
    write(H5T_NATIVE_DOUBLE, &std::get<double>(value));
  }
}

void Hdf5Writer::write_table(const std::string& name, const std::vector<TableColumn>& columns) {
  assert(!columns.empty());
  const std::int64_t rows = row_count(columns.front());
  assert(std::all_of(columns.begin(), columns.end(), [&](const auto& column) { return row_count(column) == rows; }));
  const RowLayout layout = row_layout(columns, problem());
  const hsize_t extent = static_cast<hsize_t>(rows);
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, problem());
  Handle data_set = create_data_set(name, layout.type.id(), space.id(), H5P_DEFAULT);

  std::vector<std::byte> packed;
  for (IndexRange part{0, std::min(rows, rows_per_write)}; !part.empty();
       part = {part.end, std::min(rows, part.end + rows_per_write)}) {
    const hsize_t start = static_cast<hsize_t>(part.begin);
    const hsize_t count = static_cast<hsize_t>(part.count());
    packed.assign(count * layout.bytes, std::byte{0});
    for (std::size_t column = 0; column < columns.size(); ++column)
      pack_column(columns[column], part, layout.bytes, packed.data() + layout.offsets[column]);
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, problem());
    H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    check_hdf5(H5Dwrite(data_set.id(), layout.type.id(), memory.id(), space.id(), H5P_DEFAULT, packed.data()),
               problem());
  }
  data_set.close(problem());
}

void Hdf5Writer::write_numbers(const std::string& name, const NumberArray& array, int compression) {
  const std::size_t row_bytes = static_cast<std::size_t>(array.row_elements()) * number_bytes(array.type);
  assert(array.rows() > 0 && row_bytes > 0 && array.bytes.size() == static_cast<std::size_t>(array.rows()) * row_bytes);
  const std::vector<hsize_t> extents(array.shape.begin(), array.shape.end());
  std::vector<hsize_t> chunk = extents;
  chunk.front() = std::clamp<hsize_t>(chunk_bytes / row_bytes, 1, extents.front());
  const int rank = static_cast<int>(extents.size());
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, problem());
  check_hdf5(H5Pset_chunk(creation.id(), rank, chunk.data()), problem());
  if (compression > 0) {
    check_hdf5(H5Pset_shuffle(creation.id()), problem());
    check_hdf5(H5Pset_deflate(creation.id(), static_cast<unsigned>(compression)), problem());
  }
  const Handle space(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose, problem());
  const hid_t type = native_type(array.type);
  Handle data_set = create_data_set(name, type, space.id(), creation.id());
  check_hdf5(H5Dwrite(data_set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.bytes.data()), problem());
  data_set.close(problem());
}

void Hdf5Writer::write_texts(const std::string& data_set, const std::string& name,
                             const std::vector<std::string>& texts) {
  assert(!texts.empty() && texts.size() <= 4000);
  std::vector<const char*> characters;
  for (const auto& text : texts) characters.push_back(text.c_str());
  const hsize_t count = texts.size();
  const Handle type = text_type(H5T_VARIABLE);
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, problem());
  Handle attribute(H5Acreate_by_name(handle_.id(), data_set.c_str(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose, problem());
  check_hdf5(H5Awrite(attribute.id(), type.id(), characters.data()), problem());
  attribute.close(problem());
}

void Hdf5Writer::close() {
  check_hdf5(H5Fflush(handle_.id(), H5F_SCOPE_GLOBAL), problem());
  const ssize_t bytes = H5Fget_file_image(handle_.id(), nullptr, 0);
  check_hdf5(bytes > 0 ? 0 : -1, problem());
  std::vector<std::byte> image(static_cast<std::size_t>(bytes));
  H5Fget_file_image(handle_.id(), image.data(), image.size());
  handle_.close(problem());
  require_system(std::fwrite(image.data(), 1, image.size(), output_.get()) == image.size(), problem());
  require_system(std::fflush(output_.get()) == 0 && ::fsync(::fileno(output_.get())) == 0, problem());
  require_system(std::fclose(output_.release()) == 0, problem());
}

}  // namespace sheaf
