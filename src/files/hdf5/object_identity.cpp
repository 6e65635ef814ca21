// SPDX-License-Identifier: MIT
#include "files/hdf5/object_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {

std::string file_of(hid_t object) {
  return hdf5_text("HDF5 cannot name the file of an object",
                   [&](char* text, std::size_t room) { return H5Fget_name(object, text, room); });
}

int descriptor_of(hid_t object) {
  const std::string problem = "HDF5 cannot describe the file of an object";
  const Handle file(H5Iget_file_id(object), H5Fclose, problem);
  void* descriptor = nullptr;
  check_hdf5(H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor), problem);
  return *static_cast<const int*>(descriptor);
}

std::vector<hsize_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents;
}

ObjectIdentity identity_of(hid_t object) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info{};
#else
  H5O_info_t info{};
#endif
  check_hdf5(H5Oget_info2(object, &info, H5O_INFO_BASIC), "HDF5 cannot describe an object");
  struct stat status {};
  require(::fstat(descriptor_of(object), &status) == 0, [&] {
    return fmt::format("File '{}' cannot be read ({}).", printable(file_of(object)), std::strerror(errno));
  });
  return {status.st_dev, status.st_ino, info.addr};
}

}  // namespace sheaf
