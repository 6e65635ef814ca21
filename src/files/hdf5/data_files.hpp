// The files that the numbers of a data set come from: external links, external storage and virtual data sets lead to
// others than the one that was opened.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

namespace sheaf {

/// First the file that contains the data set, as HDF5 opened it; then the files of its external storage or of the
/// sources of a virtual data set, recursively. Each path once. Regions of a virtual data set that no source is mapped
/// to are filled by HDF5's definition. Throws RunError when a source or a file of external storage is missing or has
/// another size than is mapped, where HDF5 would read fill values or other rows without an error, and when a virtual
/// data set is its own source, on which HDF5 crashes. Local.
std::vector<std::string> data_files(hid_t data_set);

/// A source name with "%b" replaced by `block`, and "%%" by "%".
std::string source_name(const std::string& pattern, long long block);

}  // namespace sheaf
