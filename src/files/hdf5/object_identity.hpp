// Identifies the object and file that an HDF5 identifier refers to, independently of links.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>
#include <sys/types.h>

#include <string>
#include <tuple>
#include <vector>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The device and inode of the file, and the address of the object in the file.
using ObjectIdentity = std::tuple<dev_t, ino_t, haddr_t>;

inline bool is_in_same_file(const ObjectIdentity& one, const ObjectIdentity& other) {
  return std::get<0>(one) == std::get<0>(other) && std::get<1>(one) == std::get<1>(other);
}

/// Throws RunError if HDF5 cannot describe the object. Local.
ObjectIdentity identity_of(hid_t object);

/// Returns the descriptor with which HDF5 reads the object's file. HDF5 closes it. Throws like identity_of. Local.
int descriptor_of(hid_t object);

/// Returns the path of the object's file, as HDF5 opened it. Throws like identity_of. Local.
std::string file_of(hid_t object);

/// Returns the extents of a data space; empty for a scalar.
std::vector<hsize_t> extents_of(hid_t space);

/// Returns the text that get(buffer, size) writes. Like HDF5's functions, `get` returns the length without the
/// terminating zero. Throws RunError "<problem> (<HDF5's reason>)." if the length is negative. Local.
template <class Get>
std::string hdf5_text(const std::string& problem, const Get& get) {
  const ssize_t length = get(nullptr, 0);
  check_hdf5(length < 0 ? -1 : 0, problem);
  std::string text(static_cast<std::size_t>(length), '\0');
  get(text.data(), text.size() + 1);
  return text;
}

}  // namespace sheaf
