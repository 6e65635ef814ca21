// SPDX-License-Identifier: MIT
#include "files/hdf5/input_driver.hpp"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <tuple>

#include "files/hdf5/file_driver.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

struct OpenFile : DriverFile {
  struct stat status;  // status when the file was opened
};

// Set by find_raw_data: the driver stores the address of raw data here instead of reading them.
thread_local haddr_t* raw_data_address = nullptr;

// Sets the text of hdf5_reason().
void set_reason(const std::string& reason) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_CANTOPENFILE, "%s", reason.c_str());
}

H5FD_t* open_file(const char* path, unsigned, hid_t, haddr_t) {
  struct stat status {};
  const int descriptor = open_regular_file(path, status);
  if (descriptor < 0) {
    const bool is_special = status.st_mode != 0 && !S_ISREG(status.st_mode);
    set_reason(is_special ? "it is " + file_kind(status.st_mode) : std::strerror(errno));
    return nullptr;
  }
  auto* file = new OpenFile{};
  file->descriptor = descriptor;
  file->end = static_cast<haddr_t>(status.st_size);
  file->status = status;
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  ::close(driver_file(file)->descriptor);
  delete driver_file<OpenFile>(file);
  return 0;
}

// HDF5 opens a file once for all identifiers that refer to it, and recognizes the file with this function.
int compare_files(const H5FD_t* one, const H5FD_t* other) {
  const auto identity = [](const H5FD_t* file) {
    const struct stat& status = driver_file<OpenFile>(file)->status;
    return std::tuple(status.st_dev, status.st_ino);
  };
  return identity(one) < identity(other) ? -1 : identity(one) > identity(other) ? 1 : 0;
}

herr_t describe_driver(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA_READ | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_POSIX_COMPAT_HANDLE |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

herr_t get_descriptor(H5FD_t* file, hid_t, void** descriptor) {
  *descriptor = &driver_file(file)->descriptor;
  return 0;
}

// Bytes beyond the end of the file read as zeros, as in HDF5's own drivers.
herr_t read_file(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t bytes, void* to) {
  if (type == H5FD_MEM_DRAW && raw_data_address != nullptr) {
    *raw_data_address = address;
    return 0;
  }
  const int error = read_or_zero(driver_file(file)->descriptor, address, bytes, to);
  if (error == 0) return 0;
  set_reason(std::strerror(error));
  return -1;
}

// Required by HDF5, but never called, since files are opened for reading only.
herr_t refuse_to_write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  return -1;
}

// Continues without a lock on file systems that do not support locks.
herr_t lock_file(H5FD_t* file, hbool_t is_exclusive) {
  if (::flock(driver_file(file)->descriptor, (is_exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return 0;
  set_reason("another program has it open for writing");
  return -1;
}

herr_t unlock_file(H5FD_t* file) {
  ::flock(driver_file(file)->descriptor, LOCK_UN);
  return 0;
}

hid_t input_driver() {
  static const H5FD_class_t driver = [] {
    H5FD_class_t it = make_driver("input", 511);
    it.open = open_file;
    it.close = close_file;
    it.cmp = compare_files;
    it.query = describe_driver;
    it.get_handle = get_descriptor;
    it.read = read_file;
    it.write = refuse_to_write;
    it.lock = lock_file;
    it.unlock = unlock_file;
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
  struct Search {  // ends also if `read` throws
    haddr_t address = HADDR_UNDEF;
    Search() { raw_data_address = &address; }
    ~Search() { raw_data_address = nullptr; }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;
  } search;
  read();
  return search.address;
}

}  // namespace sheaf
