// SPDX-License-Identifier: MIT
#include "files/hdf5/derived_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <cassert>

#include "core/error.hpp"
#include "core/log.hpp"
#include "files/hdf5/data_files.hpp"
#include "files/hdf5/input_driver.hpp"
#include "files/hdf5/native_type.hpp"
#include "files/hdf5/object_identity.hpp"
#include "files/output_bytes.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t default_chunk_bytes = std::int64_t{1} << 20;

// An upper bound of the size of HDF5's metadata.
constexpr std::int64_t spare_bytes = std::int64_t{1} << 20;

Handle prepared(hid_t id, Handle::Closer closer) {
  return Handle(id, closer, "HDF5 cannot prepare to write a file");
}

// Selects the format of HDF5 1.10, in which uncompressed chunks have no index and are contiguous.
Handle file_access() {
  Handle access = prepared(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check_hdf5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), "HDF5 cannot write its format 1.10");
  leave_unlocked(access.id());
  return access;
}

// Stores no time stamps, so that equal inputs produce equal files.
Handle timeless(hid_t property_class) {
  Handle creation = prepared(H5Pcreate(property_class), H5Pclose);
  H5Pset_obj_track_times(creation.id(), false);
  return creation;
}

// Returns the bytes of a file without content. It is created in memory, because the library must not begin to write on
// a full disk. It has the oldest format, because an image in the format of 1.10 has a wrong checksum.
std::vector<std::byte> empty_file(const std::string& name) {
  const Handle access = prepared(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), 64 << 10, false);
  const Handle file = prepared(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  H5Fflush(file.id(), H5F_SCOPE_GLOBAL);
  std::vector<std::byte> image(
      static_cast<std::size_t>(std::max<ssize_t>(0, H5Fget_file_image(file.id(), nullptr, 0))));
  check_hdf5(H5Fget_file_image(file.id(), image.data(), image.size()) > 0 ? 0 : -1, "HDF5 cannot create a file");
  return image;
}

std::int64_t file_bytes(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

// Returns an upper bound of the size of the rows, including the index of their chunks.
std::int64_t max_bytes(const DerivedRows& rows) {
  const std::int64_t numbers = rows.chunk_count() * rows.chunk_bytes();
  return rows.compression == 0 ? numbers : numbers + numbers / 256 + rows.chunk_count() * 64;
}

std::vector<std::string> with_name(std::vector<std::string> names, const std::string& name) {
  names.push_back(name);
  return names;
}

// Creates the missing parent groups of `path`.
void make_groups(hid_t file, const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    const std::string group = path.substr(0, end);
    if (H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) continue;
    const Handle creation = timeless(H5P_GROUP_CREATE);
    prepared(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose);
  }
}

Handle text_type(std::size_t bytes) {
  Handle type = prepared(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), bytes);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

}  // namespace

std::int64_t DerivedRows::row_bytes() const {
  auto bytes = static_cast<std::int64_t>(number_bytes(type));
  for (std::size_t dimension = 1; dimension < shape.size(); ++dimension) bytes *= shape[dimension];
  return bytes;
}

std::int64_t default_chunk_rows(std::int64_t rows, std::int64_t row_bytes) {
  const std::int64_t most = std::clamp<std::int64_t>(default_chunk_bytes / row_bytes, 1, rows);
  const std::int64_t chunks = (rows + most - 1) / most;
  return (rows + chunks - 1) / chunks;
}

DerivedFile::DerivedFile(const std::string& path, const std::string& source, const DerivedRows& rows, bool copies,
                         const std::vector<std::string>& left_out, std::int64_t other_bytes)
    : path_(path), rows_(rows) {
  assert(!rows.name.empty() && rows.name.front() == '/');
  silence_hdf5();
  const std::string problem_there = fmt::format("File '{}' cannot be read", source);
  source_ = Handle(H5Fopen(source.c_str(), H5F_ACC_RDONLY, input_access().id()), H5Fclose, problem_there);
  std::int64_t others = other_bytes + spare_bytes;
  if (copies) {
    const Handle old(H5Dopen2(source_.id(), rows.name.c_str(), H5P_DEFAULT), H5Dclose, problem_there);
    plan_ = plan_copies(source_.id(), old.id(), with_name(left_out, rows.name));
    others += plan_.bytes_of_others + file_bytes(source);
    if (data_files(old.id()) == std::vector{source})
      others -= std::min(file_bytes(source), static_cast<std::int64_t>(H5Dget_storage_size(old.id())));
  }
  {
    const std::vector<std::byte> image = empty_file(path);
    const OutputBytes output(path);
    output.write(image.data(), image.size(), 0);
    const std::int64_t numbers = max_bytes(rows);
    output.require_room(numbers + others);
    if (rows.compression > 0) {
      output.reserve(0, numbers + others);
    } else {  // the library writes only before and after the numbers, wherever it puts them
      output.reserve(0, others);
      output.reserve(numbers, others);
    }
  }
  file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, file_access().id()), H5Fclose, problem());
}

std::string DerivedFile::problem() const {
  return fmt::format("HDF5 file '{}' cannot be written", path_);
}

void DerivedFile::copy_others() {
  make_copies(plan_, source_.id(), file_.id());
  if (!plan_.references.empty())
    warn_root(
        fmt::format("'{}' of '{}' are not copied (they contain references, which are valid only in that file). Create "
                    "them in the copy.",
                    fmt::join(plan_.references, "', '"), file_of(source_.id())));
}

std::int64_t DerivedFile::make_rows() {
  const std::vector<hsize_t> extents(rows_.shape.begin(), rows_.shape.end());
  std::vector<hsize_t> chunk = extents;
  chunk.front() = static_cast<hsize_t>(rows_.chunk_rows);
  const int rank = static_cast<int>(extents.size());
  const Handle creation = timeless(H5P_DATASET_CREATE);
  check_hdf5(H5Pset_chunk(creation.id(), rank, chunk.data()), problem());
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  if (rows_.compression > 0) {
    check_hdf5(H5Pset_shuffle(creation.id()), problem());
    check_hdf5(H5Pset_deflate(creation.id(), static_cast<unsigned>(rows_.compression)), problem());
  } else {
    H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
  }
  const Handle space(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose, problem());
  make_groups(file_.id(), rows_.name);
  data_set_ = Handle(H5Dcreate2(file_.id(), rows_.name.c_str(), native_type(rows_.type), space.id(), H5P_DEFAULT,
                                creation.id(), H5P_DEFAULT),
                     H5Dclose, problem());
  const Handle old(H5Dopen2(source_.id(), rows_.name.c_str(), H5P_DEFAULT), H5Dclose, problem());
  copy_attributes(old.id(), data_set_.id());
  for (const auto& name : plan_.left_out)  // other names of the data set
    if (H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) <= 0)
      check_hdf5(H5Lcreate_hard(file_.id(), rows_.name.c_str(), file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                 problem());
  if (rows_.compression > 0) return 0;

  const auto address_of = [&](std::int64_t number) {
    std::vector<hsize_t> corner(extents.size(), 0);
    corner.front() = static_cast<hsize_t>(number * rows_.chunk_rows);
    unsigned skipped = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    check_hdf5(H5Dget_chunk_info_by_coord(data_set_.id(), corner.data(), &skipped, &address, &bytes), problem());
    return static_cast<std::int64_t>(address);
  };
  const std::int64_t first = address_of(0), last = rows_.chunk_count() - 1;
  require(address_of(last) == first + last * rows_.chunk_bytes(),
          fmt::format("{} (this HDF5 library does not store chunks contiguously). Pass --compression=1.", problem()));
  return first;
}

void DerivedFile::write_note(const std::string& name, const std::string& text) {
  if (H5Aexists(data_set_.id(), name.c_str()) > 0) check_hdf5(H5Adelete(data_set_.id(), name.c_str()), problem());
  const Handle type = text_type(H5T_VARIABLE);  // variable length, so that h5py returns str instead of bytes
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, problem());
  Handle attribute(H5Acreate2(data_set_.id(), name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                   problem());
  const char* characters = text.c_str();
  check_hdf5(H5Awrite(attribute.id(), type.id(), &characters), problem());
  attribute.close(problem());
}

void DerivedFile::remove_notes(const std::vector<std::string>& names, bool of_file) {
  const hid_t object = of_file ? file_.id() : data_set_.id();
  for (const auto& name : names)
    if (H5Aexists(object, name.c_str()) > 0) check_hdf5(H5Adelete(object, name.c_str()), problem());
}

void DerivedFile::write_values(const std::string& name, const std::vector<double>& values) {
  const hsize_t extent = values.size();
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose, problem());
  const Handle creation = timeless(H5P_DATASET_CREATE);
  make_groups(file_.id(), name);
  Handle data_set(
      H5Dcreate2(file_.id(), name.c_str(), H5T_NATIVE_DOUBLE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose, problem());
  check_hdf5(H5Dwrite(data_set.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), problem());
  data_set.close(problem());
}

void DerivedFile::write_chunk(std::int64_t chunk, const std::byte* bytes, std::size_t count) {
  std::vector<hsize_t> corner(rows_.shape.size(), 0);
  corner.front() = static_cast<hsize_t>(chunk * rows_.chunk_rows);
  check_hdf5(H5Dwrite_chunk(data_set_.id(), H5P_DEFAULT, 0, corner.data(), count, bytes), problem());
}

void DerivedFile::close() {
  data_set_.close(problem());
  source_.close(problem());
  file_.close(problem());
}

}  // namespace sheaf
