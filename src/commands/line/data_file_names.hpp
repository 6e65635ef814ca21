// Tells data files from study files, models and files to import. The same for all commands.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Whether an output file of this name is written in HDF5: its ending is .h5, .hdf5, .hdf or .he5, in any case. Pure.
bool has_hdf5_ending(const std::string& path);

/// Whether `path` names a data file: its content is HDF5, whatever its name, or a format with the same endings, which
/// opening it names. A name that ends as HDF5, MATLAB and netCDF files do (.h5, .hdf5, .hdf, .he5, .mat, .nc, .nc4) is
/// also one, so that messages about a missing file are about a data file. Local.
bool is_data_file(const std::string& path);

}  // namespace sheaf
