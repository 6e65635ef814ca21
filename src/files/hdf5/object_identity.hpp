// Which object of which file an HDF5 identifier refers to, whatever links led to it.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>
#include <sys/types.h>

#include <string>
#include <tuple>
#include <vector>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// The device and inode of its file, its address there.
using ObjectIdentity = std::tuple<dev_t, ino_t, haddr_t>;

inline bool is_in_same_file(const ObjectIdentity& one, const ObjectIdentity& other) {
  return std::get<0>(one) == std::get<0>(other) && std::get<1>(one) == std::get<1>(other);
}

/// Throws RunError when HDF5 cannot describe the object. Local.
ObjectIdentity identity_of(hid_t object);

/// The descriptor with which HDF5 reads the object's file, and which HDF5 closes. Throws as identity_of. Local.
int descriptor_of(hid_t object);

/// The path of the object's file, as HDF5 opened it. Throws as identity_of. Local.
std::string file_of(hid_t object);

/// The sides of a data space; none of a single value.
std::vector<hsize_t> extents_of(hid_t space);

/// The text that get(buffer, its size) writes, where get returns the length without the final zero, as HDF5's functions
/// do. Throws RunError "<problem> (<HDF5's reason>)." when that is negative. Local.
template <class Get>
std::string hdf5_text(const std::string& problem, const Get& get) {
  const ssize_t length = get(nullptr, 0);
  check_hdf5(length < 0 ? -1 : 0, problem);
  std::string text(static_cast<std::size_t>(length), '\0');
  get(text.data(), text.size() + 1);
  return text;
}

}  // namespace sheaf
