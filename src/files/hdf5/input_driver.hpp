// The file driver with which HDF5 reads all input, including the targets of external links and the sources of virtual
// data sets, which HDF5 opens itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <functional>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// Returns a file access property list with this driver. Files that are opened from such a file inherit it. The driver
/// never blocks: it only opens regular files, and refuses files that are locked for writing. Throws RunError. Local.
Handle input_access();

/// Calls `read`, which reads one contiguous range of raw data through the driver. Returns the address of the range in
/// the file, or HADDR_UNDEF if nothing was read. Does not read the data; the destination is unchanged. Local.
haddr_t find_raw_data(const std::function<void()>& read);

}  // namespace sheaf
