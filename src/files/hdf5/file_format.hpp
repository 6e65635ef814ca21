// Recognizes data files by their content, whatever their names are. Does not use the HDF5 library.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// hdf5 includes MATLAB files of version 7.3 and netCDF-4 files. The others are formats for which the same endings are
/// used, such as .mat and .nc.
enum class FileFormat { hdf5, hdf4, matlab5, netcdf3, other };

/// Returns other if `path` cannot be opened or is not a regular file. HDF5's signature may follow a user block: it is
/// at byte 0, 512, 1024, 2048, ... Local.
FileFormat format_of_content(const std::string& path);

/// Returns why the file is not HDF5, a part of a sentence, and how to convert it: " (it is a netCDF-3 file). Convert it
/// with nccopy -k nc4.", or "" for hdf5 and other. Pure.
std::string foreign_format(FileFormat content);

}  // namespace sheaf
