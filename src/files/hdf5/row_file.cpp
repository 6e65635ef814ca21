// SPDX-License-Identifier: MIT
#include "files/hdf5/row_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/native_type.hpp"
#include "files/write_at.hpp"

namespace sheaf {
namespace {

// An upper bound of the size of HDF5's metadata.
constexpr std::int64_t metadata_bytes = std::int64_t{1} << 20;

// Throws RunError if the disk has no space for a file of `bytes`. HDF5 must not run out of space, because it then
// crashes at the end of the program.
void require_room(const std::string& path, int flags, std::int64_t bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0666);
  require(descriptor >= 0, fmt::format("{} ({}). Choose a directory with write permission.", problem_of_writing(path),
                                       std::strerror(errno)));
  const int error = ::posix_fallocate(descriptor, 0, bytes);
  ::close(descriptor);
  require(error == 0, fmt::format("{} ({}, {} bytes are needed). Choose a directory with free space.",
                                  problem_of_writing(path), std::strerror(error), bytes));
}

std::int64_t create_array(const Handle& file, const RowArray& array, const std::string& problem) {
  const std::vector<hsize_t> extents(array.shape.begin(), array.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, problem);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, problem);
  check_hdf5(H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY), problem);
  check_hdf5(H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER), problem);
  check_hdf5(H5Pset_obj_track_times(creation.id(), false), problem);
  Handle data_set(H5Dcreate2(file.id(), array.name.c_str(), native_type(array.type), space.id(), H5P_DEFAULT,
                             creation.id(), H5P_DEFAULT),
                  H5Dclose, problem);
  const haddr_t offset = H5Dget_offset(data_set.id());
  check_hdf5(offset == HADDR_UNDEF ? -1 : 0, problem);
  data_set.close(problem);
  return static_cast<std::int64_t>(offset);
}

void write_attribute(const Handle& file, const TextAttribute& attribute, const std::string& problem) {
  const hsize_t count = attribute.texts.size();
  const Handle space(attribute.array.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), H5Sclose,
                     problem);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose, problem);
  check_hdf5(H5Tset_size(type.id(), H5T_VARIABLE), problem);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const std::string object = attribute.array.empty() ? "/" : attribute.array;
  Handle created(H5Acreate_by_name(file.id(), object.c_str(), attribute.name.c_str(), type.id(), space.id(),
                                   H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Aclose, problem);
  std::vector<const char*> characters;
  for (const auto& text : attribute.texts) characters.push_back(text.c_str());
  check_hdf5(H5Awrite(created.id(), type.id(), characters.data()), problem);
  created.close(problem);
}

// An upper bound for the space that HDF5 takes for the texts.
std::int64_t attribute_bytes(const std::vector<TextAttribute>& attributes) {
  constexpr std::size_t bytes_per_text = 64;
  std::size_t bytes = 0;
  for (const auto& attribute : attributes)
    for (const auto& text : attribute.texts) bytes += 2 * text.size() + bytes_per_text;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

std::int64_t RowArray::row_bytes() const {
  auto bytes = static_cast<std::int64_t>(number_bytes(type));
  for (std::size_t dimension = 1; dimension < shape.size(); ++dimension) bytes *= shape[dimension];
  return bytes;
}

std::vector<std::int64_t> create_row_file(const std::string& path, const std::vector<RowArray>& arrays,
                                          const std::vector<TextAttribute>& attributes) {
  std::int64_t bytes = metadata_bytes + attribute_bytes(attributes);
  for (const RowArray& array : arrays) bytes += array.shape.front() * array.row_bytes();
  require_room(path, O_TRUNC, bytes);
  silence_hdf5();
  const std::string problem = problem_of_writing(path);
  // Older formats limit an attribute to 64 KiB, which is 4095 texts.
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, problem);
  check_hdf5(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), problem);
  leave_unlocked(access.id());
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, problem);
  check_hdf5(H5Pset_obj_track_times(creation.id(), false), problem);
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose, problem);
  std::vector<std::int64_t> offsets;
  for (const RowArray& array : arrays) offsets.push_back(create_array(file, array, problem));
  for (const auto& attribute : attributes) write_attribute(file, attribute, problem);
  file.close(problem);
  // HDF5 has truncated the file and released the space of the arrays, so reserve it again.
  for (std::size_t array = 0; array < arrays.size(); ++array)
    require_room(path, 0, offsets[array] + arrays[array].shape.front() * arrays[array].row_bytes());
  return offsets;
}

RowFileWriter::RowFileWriter(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW)) {
  require_system(descriptor_ >= 0);
}

RowFileWriter::~RowFileWriter() {
  ::close(descriptor_);
}

void RowFileWriter::require_system(bool good) const {
  require(good, [&] {
    return fmt::format("{} ({}). Choose a directory with free space.", problem_of_writing(path_), std::strerror(errno));
  });
}

void RowFileWriter::write(const void* data, std::size_t bytes, std::int64_t offset) const {
  require_system(write_at(descriptor_, data, bytes, offset));
}

void RowFileWriter::sync() const {
  require_system(::fsync(descriptor_) == 0);
}

}  // namespace sheaf
