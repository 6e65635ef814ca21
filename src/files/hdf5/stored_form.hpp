// How a data set is stored, as far as its rows are read without the library.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <optional>
#include <vector>

#include "files/hdf5/chunk_filters.hpp"
#include "files/hdf5/elements.hpp"

namespace sheaf {

/// What numbers of a stored type are; nothing for types that only the library knows. Local.
std::optional<StoredElement> element_of(hid_t stored_type);

/// Of the chunks of a data set with such a creation property list, in the order in which they were applied; nothing
/// when the library has to undo them. Local.
std::optional<std::vector<ChunkFilter>> filters_of(hid_t creation);

}  // namespace sheaf
