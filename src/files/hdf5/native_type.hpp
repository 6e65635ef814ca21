// Maps NumberType to HDF5's native types.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "files/hdf5/number_array.hpp"

namespace sheaf {

/// Returns the hid_t of the type, declared without hdf5.h. Must not be closed.
std::int64_t native_type(NumberType type);

}  // namespace sheaf
