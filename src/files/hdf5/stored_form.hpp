// Describes the storage of data sets whose rows can be read without the HDF5 library.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <optional>
#include <vector>

#include "files/hdf5/chunk_filters.hpp"
#include "files/hdf5/elements.hpp"

namespace sheaf {

/// Describes a stored type. Returns nullopt for types that only the library can read. Local.
std::optional<StoredElement> element_of(hid_t stored_type);

/// Returns the filters of a data set with this creation property list, in the order in which they were applied. Returns
/// nullopt if only the library can reverse them. Local.
std::optional<std::vector<ChunkFilter>> filters_of(hid_t creation);

}  // namespace sheaf
