// SPDX-License-Identifier: MIT
#include "hdf5/input_driver.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "core/regular_file.hpp"

namespace sheaf {
namespace {

struct OpenFile {
  H5FD_t base;  // the part that HDF5 uses; must be first
  int descriptor;
  struct stat status;  // when it was opened
  haddr_t allocated;   // set by HDF5
};

// Set by find_raw_data: raw data are not read, their address is stored here.
thread_local haddr_t* raw_data_address = nullptr;

OpenFile* of(H5FD_t* file) {
  return reinterpret_cast<OpenFile*>(file);
}

const OpenFile* of(const H5FD_t* file) {
  return reinterpret_cast<const OpenFile*>(file);
}

// The text becomes hdf5_reason().
void give_reason(const std::string& reason) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_CANTOPENFILE, "%s", reason.c_str());
}

H5FD_t* open_file(const char* path, unsigned, hid_t, haddr_t) {
  struct stat status {};
  const int descriptor = open_regular_file(path, status);
  if (descriptor < 0) {
    const bool is_special = status.st_mode != 0 && !S_ISREG(status.st_mode);
    give_reason(is_special ? "it is " + file_kind(status.st_mode) : std::strerror(errno));
    return nullptr;
  }
  auto* file = new OpenFile{};
  file->descriptor = descriptor;
  file->status = status;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  ::close(of(file)->descriptor);
  delete of(file);
  return 0;
}

// HDF5 opens a file once for all identifiers that refer to it; this function identifies it.
int compare_files(const H5FD_t* one, const H5FD_t* other) {
  const auto identity = [](const H5FD_t* file) { return std::tuple(of(file)->status.st_dev, of(file)->status.st_ino); };
  return identity(one) < identity(other) ? -1 : identity(one) > identity(other) ? 1 : 0;
}

herr_t describe_driver(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA_READ | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_POSIX_COMPAT_HANDLE |
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
  return static_cast<haddr_t>(of(file)->status.st_size);
}

herr_t get_descriptor(H5FD_t* file, hid_t, void** descriptor) {
  *descriptor = &of(file)->descriptor;
  return 0;
}

// Bytes beyond the end of the file read as zeros, as in HDF5's own drivers.
herr_t read_file(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t bytes, void* to) {
  if (type == H5FD_MEM_DRAW && raw_data_address != nullptr) {
    *raw_data_address = address;
    return 0;
  }
  auto* place = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const ssize_t got = ::pread(of(file)->descriptor, place, bytes, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      give_reason(std::strerror(errno));
      return -1;
    }
    if (got == 0) break;
    place += got;
    address += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  std::memset(place, 0, bytes);
  return 0;
}

// HDF5 requires the function; it is not called, since files are opened for reading only.
herr_t refuse_to_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;
}

// File systems that do not support locks are read without them.
herr_t lock_file(H5FD_t* file, hbool_t is_exclusive) {
  if (::flock(of(file)->descriptor, (is_exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return 0;
  give_reason("another program has it open for writing");
  return -1;
}

herr_t unlock_file(H5FD_t* file) {
  ::flock(of(file)->descriptor, LOCK_UN);
  return 0;
}

hid_t input_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t it{};
#if H5_VERSION_GE(1, 13, 2)
    it.version = H5FD_CLASS_VERSION;
    it.value = 511;  // from the range for application drivers
#endif
    it.name = "input";
    it.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
    it.fc_degree = H5F_CLOSE_WEAK;
    it.open = open_file;
    it.close = close_file;
    it.cmp = compare_files;
    it.query = describe_driver;
    it.get_eoa = allocated;
    it.set_eoa = set_allocated;
    it.get_eof = end_of_file;
    it.get_handle = get_descriptor;
    it.read = read_file;
    it.write = refuse_to_write;
    it.lock = lock_file;
    it.unlock = unlock_file;
    const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
    std::memcpy(it.fl_map, lists, sizeof(lists));
    return it;
  }();
  static const hid_t id = H5FDregister(&driver);
  return id;
}

}  // namespace

Handle input_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5 cannot prepare to open a file");
  check_hdf5(H5Pset_driver(access.id(), input_driver(), nullptr), "HDF5 cannot prepare to open a file");
  return access;
}

haddr_t find_raw_data(const std::function<void()>& read) {
  haddr_t address = HADDR_UNDEF;
  raw_data_address = &address;
  read();
  raw_data_address = nullptr;
  return address;
}

}  // namespace sheaf
