// Reads and writes the attributes that describe a data file; data/README.md documents them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "data/data_description.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/table_writer.hpp"

namespace sheaf {

/// The attribute `scaling` of the features, written by `sheaf preprocess`; empty if there is none, or if it has another
/// meaning in a file of another program. Local.
std::string scaling_attribute(const InputFile& file, const std::string& features);

/// Reads the description of a data set with `feature_count` features per row. `features` and `targets` are paths in the
/// file; the targets need not exist. Throws RunError for attributes that are not valid or do not fit. Local.
DataDescription read_description(const InputFile& file, const std::string& path, const std::string& features,
                                 const std::string& targets, std::int64_t feature_count);

/// Writes the attributes of existing data sets `features` and, unless it is empty, `targets`. Throws RunError. Local.
void write_description(Hdf5Writer& file, const std::string& features, const std::string& targets,
                       const DataDescription& description);

}  // namespace sheaf
