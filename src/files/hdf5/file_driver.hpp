// The common part of the HDF5 file drivers of this folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <cstddef>

namespace sheaf {

/// A file that a driver has opened. Drivers derive their own file types from it.
struct DriverFile {
  H5FD_t base;  // the part that HDF5 uses; must be first
  int descriptor;
  haddr_t allocated;  // set by HDF5
  haddr_t end;        // size of the file, in bytes
};

/// Converts from HDF5's type. `File` is the type that the driver's open function created.
template <class File = DriverFile>
File* driver_file(H5FD_t* file) {
  return static_cast<File*>(reinterpret_cast<DriverFile*>(file));
}
template <class File = DriverFile>
const File* driver_file(const H5FD_t* file) {
  return static_cast<const File*>(reinterpret_cast<const DriverFile*>(file));
}

/// Returns a driver whose only functions are those that get and set the sizes of a DriverFile. `number` is in HDF5's
/// range for applications and differs between drivers. Pure.
H5FD_class_t make_driver(const char* name, int number);

/// Reads bytes at an address. Bytes beyond the end of the file and bytes after an error become zeros. Returns 0 or
/// errno.
int read_or_zero(int descriptor, haddr_t address, std::size_t bytes, void* to);

}  // namespace sheaf
