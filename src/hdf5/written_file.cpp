// SPDX-License-Identifier: MIT
#include "hdf5/written_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "core/error.hpp"

namespace sheaf {

struct WrittenFile::State {
  int descriptor = -1;
  int error = 0;  // errno of the first call that failed
};

namespace {

// A file as the library opens it.
struct OpenFile {
  H5FD_t base;  // the part that HDF5 uses; must be first
  WrittenFile::State* state;
  haddr_t allocated;  // set by HDF5
  haddr_t end;
};

OpenFile* of(H5FD_t* file) {
  return reinterpret_cast<OpenFile*>(file);
}

const OpenFile* of(const H5FD_t* file) {
  return reinterpret_cast<const OpenFile*>(file);
}

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  auto* file = new OpenFile{};
  std::memcpy(&file->state, info, sizeof file->state);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete of(file);
  return 0;
}

// Without sieve buffers: those read before they write.
herr_t describe_driver(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
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

// Bytes that have not been written, or could not be, are zeros.
herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* to) {
  auto* place = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(of(file)->state->descriptor, place, bytes, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    place += got;
    address += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  std::memset(place, 0, bytes);
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, const void* from) {
  WrittenFile::State& state = *of(file)->state;
  of(file)->end = std::max(of(file)->end, address + bytes);
  const auto* place = static_cast<const std::byte*>(from);
  while (bytes > 0 && state.error == 0) {
    const ssize_t written = ::pwrite(state.descriptor, place, bytes, static_cast<off_t>(address));
    if (written < 0 && errno != EINTR) state.error = errno;
    if (written <= 0) continue;
    place += written;
    address += static_cast<haddr_t>(written);
    bytes -= static_cast<std::size_t>(written);
  }
  return 0;
}

// HDF5 sets the length of the file, which may end beyond the last byte written.
herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  WrittenFile::State& state = *of(file)->state;
  if (of(file)->end == of(file)->allocated || state.error != 0) return 0;
  if (::ftruncate(state.descriptor, static_cast<off_t>(of(file)->allocated)) != 0) state.error = errno;
  of(file)->end = of(file)->allocated;
  return 0;
}

hid_t writing_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t it{};
#if H5_VERSION_GE(1, 13, 2)
    it.version = H5FD_CLASS_VERSION;
    it.value = 510;  // from the range for application drivers
#endif
    it.name = "writing";
    it.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
    it.fc_degree = H5F_CLOSE_WEAK;
    it.fapl_size = sizeof(WrittenFile::State*);
    it.open = open_file;
    it.close = close_file;
    it.query = describe_driver;
    it.get_eoa = allocated;
    it.set_eoa = set_allocated;
    it.get_eof = end_of_file;
    it.read = read_file;
    it.write = write_file;
    it.truncate = truncate_file;
    const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
    std::memcpy(it.fl_map, lists, sizeof(lists));
    return it;
  }();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

std::string problem_with(const std::string& path) {
  return fmt::format("HDF5 file '{}' cannot be written", path);
}

// Throws RunError with the system's reason.
[[noreturn]] void fail(const std::string& path, int error) {
  throw RunError(
      fmt::format("{} ({}). Choose a place with room where you may write.", problem_with(path), std::strerror(error)));
}

}  // namespace

WrittenFile::WrittenFile(const std::string& path) : path_(path), state_(new State) {
  state_->descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (state_->descriptor >= 0) return;
  const int error = errno;
  delete state_;
  fail(path, error);
}

WrittenFile::~WrittenFile() {
  if (state_->descriptor >= 0) ::close(state_->descriptor);
  delete state_;
}

Handle WrittenFile::access() const {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, problem_with(path_));
  check_hdf5(H5Pset_driver(access.id(), writing_driver(), &state_), problem_with(path_));
  return access;
}

void WrittenFile::sync_and_close() {
  if (state_->error == 0 && ::fsync(state_->descriptor) != 0) state_->error = errno;
  const int descriptor = std::exchange(state_->descriptor, -1);
  if (::close(descriptor) != 0 && state_->error == 0) state_->error = errno;
  if (state_->error != 0) fail(path_, state_->error);
}

}  // namespace sheaf
