// SPDX-License-Identifier: MIT
#include "hdf5/chunk_places.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "core/error.hpp"

namespace sheaf {
namespace {

// The library reads a file through a driver. This one notes where a chunk would be read, and reads all else.
struct NotingFile {
  H5FD_t base;  // first: the library knows no more
  int descriptor;
  haddr_t allocated;  // as the library set it
  haddr_t end;
};

constexpr haddr_t nowhere = std::numeric_limits<haddr_t>::max();

// Where the next chunk would be read; null: it is read. Each thread's own, though one at a time is in the library.
thread_local haddr_t* noted = nullptr;

NotingFile* of(H5FD_t* file) {
  return reinterpret_cast<NotingFile*>(file);
}

const NotingFile* of(const H5FD_t* file) {
  return reinterpret_cast<const NotingFile*>(file);
}

H5FD_t* open_file(const char* path, unsigned, hid_t, haddr_t) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  struct stat state {};
  ::fstat(descriptor, &state);
  auto* file = new NotingFile{};
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(state.st_size);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  ::close(of(file)->descriptor);
  delete of(file);
  return 0;
}

herr_t tell_features(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA_READ | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) {
  return of(file)->allocated;
}

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file)->allocated = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return of(file)->end;
}

// What lies behind the file's end is zeros, as in the library's own drivers.
herr_t read_file(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t bytes, void* to) {
  if (type == H5FD_MEM_DRAW && noted != nullptr) {
    *noted = address;
    return 0;
  }
  auto* place = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(of(file)->descriptor, place, bytes, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    place += got;
    address += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  std::memset(place, 0, bytes);
  return 0;
}

// Must be there; no file is opened for it.
herr_t refuse_to_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;
}

hid_t noting_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t it{};
#if H5_VERSION_GE(1, 13, 2)
    it.version = H5FD_CLASS_VERSION;
    it.value = 511;  // of those that are free for programs
#endif
    it.name = "noting";
    it.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
    it.fc_degree = H5F_CLOSE_WEAK;
    it.open = open_file;
    it.close = close_file;
    it.query = tell_features;
    it.get_eoa = allocated;
    it.set_eoa = set_allocated;
    it.get_eof = end_of_file;
    it.read = read_file;
    it.write = refuse_to_write;
    const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
    std::memcpy(it.fl_map, lists, sizeof(lists));
    return it;
  }();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

Handle open_noting(const std::string& path) {
  const std::string problem = fmt::format("HDF5 cannot open file '{}'", path);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, problem);
  check_hdf5(H5Pset_driver(access.id(), noting_driver(), nullptr), problem);
  return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, problem);
}

}  // namespace

ChunkPlaces::ChunkPlaces(const std::string& path, const std::string& name, const std::vector<std::int64_t>& shape,
                         const std::vector<std::int64_t>& chunk, std::mutex& library)
    : chunk_(chunk),
      library_(library),
      file_(open_noting(path)),
      data_set_(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose,
                fmt::format("HDF5 cannot open data set '{}' of '{}'", name, path)) {
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension)
    counts_.push_back((shape[dimension] + chunk[dimension] - 1) / chunk[dimension]);
}

ChunkPlace ChunkPlaces::ask(const std::vector<hsize_t>& corner) const {
  ChunkPlace place;
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(data_set_.id(), corner.data(), &bytes) < 0 || bytes == 0) return place;
  haddr_t address = nowhere;
  const std::unique_ptr<std::byte[]> room(new std::byte[bytes]);  // which the library takes to be filled
  noted = &address;
  const herr_t status = H5Dread_chunk(data_set_.id(), H5P_DEFAULT, corner.data(), &place.skipped, room.get());
  noted = nullptr;
  if (status < 0 || address == nowhere) throw RunError(hdf5_reason());
  place.address = static_cast<std::int64_t>(address);
  place.bytes = static_cast<std::int64_t>(bytes);
  return place;
}

std::optional<ChunkPlace> ChunkPlaces::find(const std::vector<hsize_t>& corner) const {
  std::int64_t number = 0;
  for (std::size_t dimension = 0; dimension < counts_.size(); ++dimension)
    number = number * counts_[dimension] + static_cast<std::int64_t>(corner[dimension]) / chunk_[dimension];
  const std::lock_guard lock(library_);
  auto known = found_.find(number);
  if (known == found_.end()) known = found_.emplace(number, ask(corner)).first;
  return known->second.bytes > 0 ? std::optional(known->second) : std::nullopt;
}

}  // namespace sheaf
