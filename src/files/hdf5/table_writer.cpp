// SPDX-License-Identifier: MIT
#include "files/hdf5/table_writer.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/index_range.hpp"
#include "files/hdf5/native_type.hpp"

namespace sheaf {
namespace {

// Number of rows that are packed and written together.
constexpr std::int64_t rows_per_write = 65536;

// Size of the chunks of an array: large enough for a parallel file system, small enough to divide among ranks.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

using Texts = std::vector<std::string>;

Handle text_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "HDF5 cannot describe text");
  check_hdf5(H5Tset_size(type.id(), bytes), "HDF5 cannot describe text");
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Handle flag_type(const std::string& problem) {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose, problem);
  for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}})
    check_hdf5(H5Tenum_insert(type.id(), value ? "TRUE" : "FALSE", &value), problem);
  return type;
}

// Returns the length in bytes; at least 1, because HDF5 does not support text types of length 0.
std::size_t longest(const Texts& texts) {
  std::size_t bytes = 1;
  for (const auto& text : texts) bytes = std::max(bytes, text.size());
  return bytes;
}

std::int64_t row_count(const TableColumn& column) {
  const std::size_t values = std::visit([](const auto& all) { return all.size(); }, column.values);
  return static_cast<std::int64_t>(values / std::max<std::size_t>(column.width, 1));
}

std::size_t cell_bytes(const ColumnType& type) {
  switch (type.kind) {
    case ColumnType::Kind::text:
      return type.text_bytes;
    case ColumnType::Kind::flag:
      return 1;
    case ColumnType::Kind::real32:
      return sizeof(float) * std::max<std::size_t>(type.width, 1);
    default:
      return 8 * std::max<std::size_t>(type.width, 1);
  }
}

// Returns the offset of each column in a row, followed by the size of a row.
std::vector<std::size_t> cell_offsets(const std::vector<ColumnType>& types) {
  std::vector<std::size_t> offsets{0};
  for (const auto& type : types) offsets.push_back(offsets.back() + cell_bytes(type));
  return offsets;
}

Handle row_type(const std::vector<ColumnType>& types, const std::string& problem) {
  const auto offsets = cell_offsets(types);
  Handle row(H5Tcreate(H5T_COMPOUND, offsets.back()), H5Tclose, problem);
  for (std::size_t number = 0; number < types.size(); ++number) {
    const ColumnType& type = types[number];
    Handle made;  // the other types are HDF5's own
    hid_t cell = type.kind == ColumnType::Kind::real     ? H5T_NATIVE_DOUBLE
                 : type.kind == ColumnType::Kind::real32 ? H5T_NATIVE_FLOAT
                                                         : H5T_NATIVE_INT64;
    if (type.kind == ColumnType::Kind::text || type.kind == ColumnType::Kind::flag) {
      made = type.kind == ColumnType::Kind::text ? text_type(type.text_bytes) : flag_type(problem);
      cell = made.id();
    }
    if (type.width > 0) {
      const hsize_t extent = type.width;
      made = Handle(H5Tarray_create2(cell, 1, &extent), H5Tclose, problem);
      cell = made.id();
    }
    check_hdf5(H5Tinsert(row.id(), type.name.c_str(), offsets[number], cell), problem);
  }
  return row;
}

ColumnType::Kind kind_of(const TableColumn& column) {
  if (std::holds_alternative<std::vector<double>>(column.values)) return ColumnType::Kind::real;
  if (std::holds_alternative<std::vector<float>>(column.values)) return ColumnType::Kind::real32;
  if (std::holds_alternative<std::vector<bool>>(column.values)) return ColumnType::Kind::flag;
  return std::holds_alternative<Texts>(column.values) ? ColumnType::Kind::text : ColumnType::Kind::integer;
}

bool fits(const TableColumn& column, const ColumnType& type) {
  const auto* texts = std::get_if<Texts>(&column.values);
  return kind_of(column) == type.kind && column.width == type.width &&
         (texts == nullptr || longest(*texts) <= type.text_bytes);
}

// Checks the arguments of calls that would otherwise damage the file.
void require_valid_call(bool condition, const std::string& problem, const std::string& reason) {
  require(condition, fmt::format("{} ({}). This is a bug in Sheaf; please report it.", problem, reason));
}

// Copies the cells of `rows` to `cell` with a stride of `row_bytes`. The buffer is zeroed, so short texts are padded.
void pack_column(const TableColumn& column, IndexRange rows, std::size_t row_bytes, std::byte* cell) {
  std::visit(
      [&](const auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        for (std::int64_t row = rows.begin; row < rows.end; ++row, cell += row_bytes) {
          const Value& value = values[static_cast<std::size_t>(row)];  // of flags, a copy
          if constexpr (std::is_same_v<Value, std::string>) {
            std::memcpy(cell, value.data(), value.size());
          } else if (column.width == 0) {
            std::memcpy(cell, &value, sizeof value);
          } else {
            for (std::size_t number = 0; number < column.width; ++number) {
              const Value one = values[static_cast<std::size_t>(row) * column.width + number];
              std::memcpy(cell + number * sizeof one, &one, sizeof one);
            }
          }
        }
      },
      column.values);
}

}  // namespace

std::vector<ColumnType> column_types(const std::vector<TableColumn>& columns) {
  std::vector<ColumnType> types;
  for (const auto& column : columns) {
    const auto* texts = std::get_if<Texts>(&column.values);
    types.push_back({column.name, kind_of(column), texts == nullptr ? 1 : longest(*texts), column.width});
  }
  return types;
}

Hdf5Table::Hdf5Table(Handle data_set, std::int64_t rows, const std::vector<ColumnType>& types, std::string problem)
    : problem_(std::move(problem)),
      types_(types),
      offsets_(cell_offsets(types)),
      rows_(rows),
      type_(row_type(types, problem_)),
      data_set_(std::move(data_set)) {
  const auto extent = static_cast<hsize_t>(rows);
  space_ = Handle(H5Screate_simple(1, &extent, nullptr), H5Sclose, problem_);
}

void Hdf5Table::append(const std::vector<TableColumn>& columns) {
  require_valid_call(columns.size() == types_.size(), problem_,
                     fmt::format("expected {} columns, got {}", types_.size(), columns.size()));
  const std::int64_t rows = row_count(columns.front());
  for (std::size_t number = 0; number < columns.size(); ++number)
    require_valid_call(row_count(columns[number]) == rows && fits(columns[number], types_[number]), problem_,
                       fmt::format("the values of column '{}' do not fit", types_[number].name));
  require_valid_call(rows <= rows_ - written_, problem_,
                     fmt::format("expected {} rows, got {}", rows_, written_ + rows));
  std::vector<std::byte> packed;
  for (IndexRange part{0, std::min(rows, rows_per_write)}; !part.empty();
       part = {part.end, std::min(rows, part.end + rows_per_write)}) {
    const hsize_t start = static_cast<hsize_t>(written_);
    const hsize_t count = static_cast<hsize_t>(part.count());
    packed.assign(count * offsets_.back(), std::byte{0});
    for (std::size_t column = 0; column < columns.size(); ++column)
      pack_column(columns[column], part, offsets_.back(), packed.data() + offsets_[column]);
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, problem_);
    H5Sselect_hyperslab(space_.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
    check_hdf5(H5Dwrite(data_set_.id(), type_.id(), memory.id(), space_.id(), H5P_DEFAULT, packed.data()), problem_);
    written_ += part.count();
  }
}

void Hdf5Table::close() {
  require_valid_call(written_ == rows_, problem_, fmt::format("expected {} rows, got {}", rows_, written_));
  data_set_.close(problem_);
}

Hdf5Writer::Hdf5Writer(const std::string& path, bool long_attributes) : path_(path), output_(path) {
  silence_hdf5();
  const Handle access = output_.access();
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, problem());
  if (long_attributes) {
    check_hdf5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), problem());
    check_hdf5(H5Pset_obj_track_times(creation.id(), false), problem());  // this format stores them for groups
  }
  handle_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, problem());
}

std::string Hdf5Writer::problem() const {
  return fmt::format("HDF5 file '{}' cannot be written", path_);
}

Handle Hdf5Writer::create_data_set(const std::string& name, std::int64_t type, std::int64_t space,
                                   std::int64_t creation) const {
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, problem());
  H5Pset_create_intermediate_group(link.id(), 1);
  H5Pset_char_encoding(link.id(), H5T_CSET_UTF8);
  const Handle properties(creation == H5P_DEFAULT ? H5Pcreate(H5P_DATASET_CREATE) : H5Pcopy(creation), H5Pclose,
                          problem());
  H5Pset_obj_track_times(properties.id(), false);  // equal contents make equal files, whenever they are written
  return Handle(H5Dcreate2(handle_.id(), name.c_str(), type, space, link.id(), properties.id(), H5P_DEFAULT), H5Dclose,
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
    write(text_type(H5T_VARIABLE).id(), &characters);  // variable length, so that h5py returns str instead of bytes
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    write(H5T_NATIVE_INT64, integer);
  } else {
    write(H5T_NATIVE_DOUBLE, &std::get<double>(value));
  }
}

Hdf5Table Hdf5Writer::begin_table(const std::string& name, std::int64_t rows, const std::vector<ColumnType>& types) {
  assert(!types.empty());
  const Handle type = row_type(types, problem());
  const auto extent = static_cast<hsize_t>(rows);
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, problem());
  return {create_data_set(name, type.id(), space.id(), H5P_DEFAULT), rows, types, problem()};
}

void Hdf5Writer::write_table(const std::string& name, const std::vector<TableColumn>& columns) {
  assert(!columns.empty());
  Hdf5Table table = begin_table(name, row_count(columns.front()), column_types(columns));
  table.append(columns);
  table.close();
}

void Hdf5Writer::write_numbers(const std::string& name, const NumberArray& array, int compression) {
  const std::size_t row_bytes = static_cast<std::size_t>(array.row_elements()) * number_bytes(array.type);
  const std::size_t bytes = static_cast<std::size_t>(array.rows()) * row_bytes;
  require_valid_call(bytes > 0 && array.bytes.size() == bytes, problem(),
                     fmt::format("an array of {} bytes got {}", bytes, array.bytes.size()));
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
  assert(!texts.empty());
  std::vector<const char*> characters;
  for (const auto& text : texts) characters.push_back(text.c_str());
  const hsize_t count = texts.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, problem());
  write_values(data_set, name, text_type(H5T_VARIABLE), space, characters.data());
}

void Hdf5Writer::write_text(const std::string& data_set, const std::string& name, const std::string& text) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, problem());
  const char* const characters = text.c_str();
  // Variable length, so that h5py returns str instead of bytes.
  write_values(data_set, name, text_type(H5T_VARIABLE), space, &characters);
}

void Hdf5Writer::write_reals(const std::string& data_set, const std::string& name, const std::vector<double>& numbers) {
  assert(!numbers.empty());
  const hsize_t count = numbers.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, problem());
  const Handle type(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose, problem());
  write_values(data_set, name, type, space, numbers.data());
}

void Hdf5Writer::write_values(const std::string& data_set, const std::string& name, const Handle& type,
                              const Handle& space, const void* values) {
  Handle attribute(H5Acreate_by_name(handle_.id(), data_set.c_str(), name.c_str(), type.id(), space.id(), H5P_DEFAULT,
                                     H5P_DEFAULT, H5P_DEFAULT),
                   H5Aclose, problem());
  check_hdf5(H5Awrite(attribute.id(), type.id(), values), problem());
  attribute.close(problem());
}

void Hdf5Writer::close() {
  handle_.close(problem());
  output_.sync_and_close();
}

}  // namespace sheaf
