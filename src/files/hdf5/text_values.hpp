// Reads texts of fixed or variable length, from attributes and data sets.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sheaf {

/// Returns `count` texts of the stored type `type`, which read(buffer) writes in that type; `space` describes the
/// buffer. Padding is removed; texts that are not UTF-8 are decoded as Latin-1. `read` may throw. Local.
std::vector<std::string> read_texts(hid_t type, hid_t space, std::size_t count,
                                    const std::function<void(void* buffer)>& read);

}  // namespace sheaf
