// Creates HDF5 files for tests with the C library, independently of the code under test.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sheaf::test {

/// Returns the result of an HDF5 call. Throws if the call failed.
inline hid_t good(hid_t id) {
  if (id < 0) throw std::runtime_error("an HDF5 call of the test failed");
  return id;
}

/// How a data set is stored: its type in the file, chunk shape (empty: contiguous), gzip, and a checksum per chunk.
struct StoredAs {
  hid_t type = H5T_IEEE_F32LE;
  std::vector<hsize_t> chunk = {};
  bool gzip = false;
  bool checksum = false;
};

/// A new file at `path`. The destructor closes it.
class FixtureFile {
 public:
  explicit FixtureFile(const std::string& path)
      : file_(good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))) {}
  ~FixtureFile() { H5Fclose(file_); }
  FixtureFile(const FixtureFile&) = delete;
  FixtureFile& operator=(const FixtureFile&) = delete;

  /// Adds a data set with `values` in row-major order. Creates missing groups.
  void numbers(const std::string& name, const std::vector<hsize_t>& shape, const std::vector<double>& values,
               const StoredAs& stored = {}) {
    const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
    if (!stored.chunk.empty()) H5Pset_chunk(creation, static_cast<int>(stored.chunk.size()), stored.chunk.data());
    if (stored.gzip) H5Pset_deflate(creation, 4);
    if (stored.checksum) H5Pset_fletcher32(creation);
    add(name, shape, stored.type, H5T_NATIVE_DOUBLE, values.data(), creation);
    H5Pclose(creation);
  }

  /// Adds an extensible data set without storing any of its chunks.
  void unwritten(const std::string& name, const std::vector<hsize_t>& shape, const std::vector<hsize_t>& chunk,
                 hid_t type = H5T_IEEE_F32LE) {
    const auto rank = static_cast<int>(shape.size());
    const std::vector<hsize_t> max_shape(shape.size(), H5S_UNLIMITED);
    const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation, rank, chunk.data());
    const hid_t space = good(H5Screate_simple(rank, shape.data(), max_shape.data()));
    H5Dclose(good(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
    H5Sclose(space);
    H5Pclose(creation);
  }

  /// Stores the float32 chunk at `corner`, after the existing data in the file.
  void chunk(const std::string& name, const std::vector<hsize_t>& corner, const std::vector<float>& values) {
    const hid_t data_set = good(H5Dopen2(file_, name.c_str(), H5P_DEFAULT));
    good(H5Dwrite_chunk(data_set, H5P_DEFAULT, 0, corner.data(), values.size() * sizeof(float), values.data()));
    H5Dclose(data_set);
  }

  /// Adds a data set of strings, four bytes per row.
  void text(const std::string& name, hsize_t rows) {
    const hid_t type = good(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, 4);
    add(name, {rows}, type, type, std::string(rows * 4, 'x').data(), H5P_DEFAULT);
    H5Tclose(type);
  }

  /// Adds a data set [rows] of texts, of variable length or of `bytes` each, padded with spaces.
  void texts(const std::string& name, const std::vector<std::string>& texts, bool variable, std::size_t bytes) {
    const hid_t type = good(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, variable ? H5T_VARIABLE : bytes);
    if (!variable) H5Tset_strpad(type, H5T_STR_SPACEPAD);
    std::string characters;
    std::vector<const char*> pointers;
    for (const auto& text : texts) {
      characters += text + std::string(bytes - text.size(), ' ');
      pointers.push_back(text.c_str());
    }
    const void* values = variable ? static_cast<const void*>(pointers.data()) : characters.data();
    add(name, {texts.size()}, type, type, values, H5P_DEFAULT);
    H5Tclose(type);
  }

  /// Adds a data set of compound values with one member.
  void table(const std::string& name, hsize_t rows) {
    const hid_t type = good(H5Tcreate(H5T_COMPOUND, 8));
    H5Tinsert(type, "member", 0, H5T_NATIVE_DOUBLE);
    add(name, {rows}, type, type, std::vector<double>(rows).data(), H5P_DEFAULT);
    H5Tclose(type);
  }

  /// Adds a data set of booleans, stored as h5py does.
  void booleans(const std::string& name, const std::vector<std::int8_t>& values) {
    const hid_t type = good(H5Tenum_create(H5T_STD_I8LE));
    for (const auto& [label, value] : {std::pair<const char*, std::int8_t>{"FALSE", 0}, {"TRUE", 1}})
      H5Tenum_insert(type, label, &value);
    add(name, {values.size()}, type, type, values.data(), H5P_DEFAULT);
    H5Tclose(type);
  }

  /// Adds an attribute of `object`: a list of numbers.
  void attribute(const std::string& object, const std::string& name, const std::vector<double>& numbers) {
    const hsize_t count = numbers.size();
    const hid_t space = good(H5Screate_simple(1, &count, nullptr));
    add_attribute(object, name, H5T_NATIVE_DOUBLE, space, numbers.data());
    H5Sclose(space);
  }

  /// Adds an attribute of `object`: one text of fixed length.
  void attribute(const std::string& object, const std::string& name, const std::string& text) {
    const hid_t type = good(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, text.size());
    const hid_t space = good(H5Screate(H5S_SCALAR));
    add_attribute(object, name, type, space, text.data());
    H5Sclose(space);
    H5Tclose(type);
  }

 private:
  void add_attribute(const std::string& object, const std::string& name, hid_t type, hid_t space, const void* value) {
    const hid_t attribute = good(
        H5Acreate_by_name(file_, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    good(H5Awrite(attribute, type, value));
    H5Aclose(attribute);
  }

  void add(const std::string& name, const std::vector<hsize_t>& shape, hid_t file_type, hid_t memory_type,
           const void* values, hid_t creation) {
    const hid_t link = good(H5Pcreate(H5P_LINK_CREATE));
    H5Pset_create_intermediate_group(link, 1);
    const hid_t space = good(shape.empty() ? H5Screate(H5S_SCALAR)
                                           : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    const hid_t data_set = good(H5Dcreate2(file_, name.c_str(), file_type, space, link, creation, H5P_DEFAULT));
    good(H5Dwrite(data_set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(data_set);
    H5Sclose(space);
    H5Pclose(link);
  }

  hid_t file_;
};

/// Overwrites the middle of one stored chunk.
inline void spoil_chunk(const std::string& path, const std::string& name, hsize_t chunk) {
  const hid_t file = good(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const hid_t data_set = good(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const hid_t space = good(H5Dget_space(data_set));
  std::vector<hsize_t> offset(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  unsigned filters = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  good(H5Dget_chunk_info(data_set, space, chunk, offset.data(), &filters, &address, &bytes));
  H5Sclose(space);
  H5Dclose(data_set);
  H5Fclose(file);
  std::fstream stream(path, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(address + bytes / 2));
  stream.write("spoiled", 7);
}

}  // namespace sheaf::test
