// SPDX-License-Identifier: MIT
#include "files/hdf5/written_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "files/hdf5/file_driver.hpp"
#include "files/write_at.hpp"

namespace sheaf {

struct WrittenFile::State {
  int descriptor = -1;
  int error = 0;  // errno of the first failed call
};

namespace {

struct OpenFile : DriverFile {
  WrittenFile::State* state;
};

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  auto* file = new OpenFile{};
  std::memcpy(&file->state, info, sizeof file->state);
  file->descriptor = file->state->descriptor;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete driver_file<OpenFile>(file);
  return 0;
}

// No sieve buffers, because they read before they write.
herr_t describe_driver(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

// Bytes that were not written are zeros.
herr_t read_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* to) {
  read_or_zero(driver_file(file)->descriptor, address, bytes, to);
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, const void* from) {
  WrittenFile::State& state = *driver_file<OpenFile>(file)->state;
  haddr_t& end = driver_file(file)->end;
  end = std::max(end, address + bytes);
  if (state.error == 0 && !write_at(state.descriptor, from, bytes, static_cast<std::int64_t>(address)))
    state.error = errno;
  return 0;
}

// HDF5 sets the length of the file, which may end beyond the last byte written.
herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  OpenFile& open = *driver_file<OpenFile>(file);
  if (open.end == open.allocated || open.state->error != 0) return 0;
  if (::ftruncate(open.descriptor, static_cast<off_t>(open.allocated)) != 0) open.state->error = errno;
  open.end = open.allocated;
  return 0;
}

hid_t writing_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t it = make_driver("writing", 510);
    it.fapl_size = sizeof(WrittenFile::State*);
    it.open = open_file;
    it.close = close_file;
    it.query = describe_driver;
    it.read = read_file;
    it.write = write_file;
    it.truncate = truncate_file;
    return it;
  }();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

// Throws RunError with the system's reason.
[[noreturn]] void fail(const std::string& path, int error) {
  throw RunError(fmt::format("{} ({}). Choose a directory with free space and write permission.",
                             problem_of_writing(path), std::strerror(error)));
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
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, problem_of_writing(path_));
  check_hdf5(H5Pset_driver(access.id(), writing_driver(), &state_), problem_of_writing(path_));
  return access;
}

void WrittenFile::sync_and_close() {
  if (state_->error == 0 && ::fsync(state_->descriptor) != 0) state_->error = errno;
  const int descriptor = std::exchange(state_->descriptor, -1);
  if (::close(descriptor) != 0 && state_->error == 0) state_->error = errno;
  if (state_->error != 0) fail(path_, state_->error);
}

}  // namespace sheaf
