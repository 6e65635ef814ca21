// Resolves links in HDF5 files, with the search paths that HDF5 uses for linked files.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Returns "/a/b" for "a/b" and for "/a/b". Pure.
std::string with_leading_slash(const std::string& name);

/// Returns whether `file` has a link `name`, even if its target is missing. Local.
bool has_link(hid_t file, const std::string& name);

/// Describes the first soft or external link on the path `name` whose target cannot be opened, if any. Local.
std::optional<std::string> find_broken_link(hid_t file, const std::string& name);

/// Returns `prefix` with "${ORIGIN}" at its beginning replaced by the directory of file `holder` and "/", as HDF5 does
/// for HDF5_EXTFILE_PREFIX and HDF5_VDS_PREFIX. Local.
std::string with_origin(const std::string& prefix, const std::string& holder);

/// Splits the value of HDF5_EXT_PREFIX or HDF5_VDS_PREFIX at colons. Null, for an unset variable, has no prefixes.
/// Pure.
std::vector<std::string> split_prefixes(const char* prefixes);

/// Returns the paths, in order, at which HDF5 searches for file `name`, to which file `holder` refers. `prefixes` are
/// those of HDF5_EXT_PREFIX for external links. For virtual data sets they are those of HDF5_VDS_PREFIX, followed by
/// its whole value after with_origin(). Source: "H5Lcreate_external" and "H5Pset_virtual_prefix" in the HDF5 reference
/// manual. Local.
std::vector<std::string> searched_paths(const std::string& name, const std::string& holder,
                                        const std::vector<std::string>& prefixes);

}  // namespace sheaf
