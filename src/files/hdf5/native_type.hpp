// HDF5's own types of our numbers.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// hid_t of the type in memory, spelled without hdf5.h. Nothing to close.
std::int64_t native_type(NumberType type);

}  // namespace sheaf
