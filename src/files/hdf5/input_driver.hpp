// The file driver through which HDF5 reads all input, also the targets of external links and the sources of virtual
// data sets, which it opens by itself. SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <functional>

#include "files/hdf5/handle.hpp"

namespace sheaf {

/// A file access property list with this driver, which files that are opened from there inherit. The driver never
/// waits: it opens regular files only, and refuses files that are locked for writing. Throws RunError. Local.
Handle input_access();

/// Calls `read`, which reads one contiguous piece of raw data through the driver, and returns the address of the piece
/// in the file; HADDR_UNDEF when there was none. The data themselves are not read, and the destination is unchanged.
/// Local.
haddr_t find_raw_data(const std::function<void()>& read);

}  // namespace sheaf
