// Links of HDF5 files, and where HDF5 looks for the files that they name.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// "/a/b" of "a/b" and of "/a/b". Pure.
std::string with_leading_slash(const std::string& name);

/// Whether `file` has a link `name`, even one whose target is missing. Local.
bool has_link(hid_t file, const std::string& name);

/// Describes the first soft or external link on the way to `name` whose target cannot be opened. Local.
std::optional<std::string> find_broken_link(hid_t file, const std::string& name);

/// `prefix` with "${ORIGIN}" at its beginning replaced by the directory of file `holder` and "/", as HDF5 does in
/// HDF5_EXTFILE_PREFIX and HDF5_VDS_PREFIX. Local.
std::string with_origin(const std::string& prefix, const std::string& holder);

/// The paths of HDF5_EXT_PREFIX or HDF5_VDS_PREFIX, which colons separate; none of a variable that is not set. Pure.
std::vector<std::string> split_prefixes(const char* prefixes);

/// Where HDF5 looks for file `name`, to which file `holder` refers, in this order. `prefixes`: of external links those
/// of HDF5_EXT_PREFIX; of virtual data sets those of HDF5_VDS_PREFIX and, last, its whole value with_origin. Source:
/// "H5Lcreate_external" and "H5Pset_virtual_prefix" of the HDF5 reference manual. Local.
std::vector<std::string> searched_paths(const std::string& name, const std::string& holder,
                                        const std::vector<std::string>& prefixes);

}  // namespace sheaf
