// SPDX-License-Identifier: MIT
#include "files/hdf5/file_driver.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>

namespace sheaf {
namespace {

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) {
  return driver_file(file)->allocated;
}

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  driver_file(file)->allocated = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return driver_file(file)->end;
}

}  // namespace

H5FD_class_t make_driver(const char* name, [[maybe_unused]] int number) {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 2)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(number);
#endif
  driver.name = name;
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.get_eoa = allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = end_of_file;
  const H5FD_mem_t lists[] = H5FD_FLMAP_DICHOTOMY;
  std::memcpy(driver.fl_map, lists, sizeof(lists));
  return driver;
}

int read_or_zero(int descriptor, haddr_t address, std::size_t bytes, void* to) {
  auto* next = static_cast<std::byte*>(to);
  int error = 0;
  while (bytes > 0 && error == 0) {
    const ssize_t got = ::pread(descriptor, next, bytes, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    next += got;
    address += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  std::memset(next, 0, bytes);
  return error;
}

}  // namespace sheaf
