// Finds the files that contain the numbers of a data set. External links, external storage and virtual data sets can
// refer to files other than the one that was opened.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace sheaf {

/// Returns the file that contains the data set, as HDF5 opened it, followed by the files of its external storage or of
/// the sources of a virtual data set, recursively. Each path occurs once. Regions of a virtual data set without a
/// source contain fill values, as HDF5 defines. Throws RunError if a source or a file of external storage is missing or
/// does not have the mapped size; HDF5 would read fill values or wrong rows without an error. Also throws RunError if a
/// virtual data set is its own source, because HDF5 would crash. Local.
std::vector<std::string> data_files(hid_t data_set);

/// Returns a source name with "%b" replaced by `block` and "%%" by "%".
std::string source_name(const std::string& pattern, long long block);

}  // namespace sheaf
