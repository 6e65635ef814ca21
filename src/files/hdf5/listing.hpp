// Lists the contents of HDF5 files, for messages about data sets that cannot be used.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Returns the paths of the data sets of a file, with the leading "/", printable and sorted by name. Ends early at an
/// object that the library cannot read. Local.
std::vector<std::string> list_data_sets(hid_t file);

/// Returns for example "it has '/a', '/b' and 3 more", with up to ten names: arrays of numbers first, the largest
/// ones if there are many, then texts, tables, and last single values, empty data sets and the indexes of PyTables.
/// Local.
std::string contents_text(hid_t file);

/// Returns the path of the first pandas object that DataFrame.to_hdf() has stored, if there is one. Local.
std::optional<std::string> find_pandas_object(hid_t file);

}  // namespace sheaf
