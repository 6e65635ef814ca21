// Reads and writes the attributes that describe a data file; data/README.md documents them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "data/data_description.hpp"
#include "data/description_text.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/table_writer.hpp"

namespace sheaf {

/// The attribute `scaling` of the features, written by `sheaf preprocess`; empty if there is none, or if it has another
/// meaning in a file of another program. Local.
std::string scaling_attribute(const InputFile& file, const std::string& features);

/// The description of a data file, and the form of its features.
struct StoredDescription {
  DataDescription data;
  FeatureForm form = FeatureForm::features;
};

/// The columns of a data set with `stored_count` numbers per row. Throws RunError for attributes that are not valid or
/// do not fit. Local.
DescribedColumns read_columns(const InputFile& file, const std::string& path, const std::string& features,
                              std::int64_t stored_count);

/// Reads the description of a data set with `stored_count` numbers per row. `features` and `targets` are paths in the
/// file; the targets need not exist. Throws RunError for attributes that are not valid or do not fit. Local.
StoredDescription read_description(const InputFile& file, const std::string& path, const std::string& features,
                                   const std::string& targets, std::int64_t stored_count);

/// Writes the attributes of existing data sets `features`, in FeatureForm::columns, and, unless it is empty, `targets`.
/// Throws RunError. Local.
void write_description(Hdf5Writer& file, const std::string& features, const std::string& targets,
                       const DataDescription& description);

}  // namespace sheaf
