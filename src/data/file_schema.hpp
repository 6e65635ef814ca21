// What a study's HDF5 file must look like, and what its data sets mean. Reads no rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/hdf5/data_set.hpp"
#include "files/hdf5/file.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A file's features, targets and weights, found fit for each other.
struct FileSchema {
  DataSetInfo features;
  DataSetInfo targets;
  std::optional<DataSetInfo> weights;  ///< of data.weights
  std::int64_t rows = 0;
  std::int64_t feature_count = 0;
  std::int64_t target_columns = 1;
  ImageShape image;         ///< of data.image, or of features [N, C, H, W] or [N, H, W, C]
  std::string fingerprint;  ///< file name, size and time, names and shapes of its data sets; the same of other files
                            ///< that their numbers come from
};

/// A file's name, size and time. Throws RunError when it cannot be looked at. Local.
std::string file_identity(const std::string& path);

/// The same of several files; of many, a fingerprint. Throws as file_identity. Local.
std::string file_identities(const std::vector<std::string>& paths);

/// Looks at the features alone: the schema of a file without targets. Throws as inspect_file. Local.
FileSchema inspect_features(const InputFile& file, const DataOptions& options);

/// Looks at the metadata of options.file. Throws RunError with one sentence on the first thing that is wrong. Local.
FileSchema inspect_file(const DataOptions& options);

}  // namespace sheaf
