// HDF5 files opened for reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "files/hdf5/data_set.hpp"
#include "files/hdf5/handle.hpp"

namespace sheaf {

class InputFile {
 public:
  /// Throws RunError when `path` is missing, a directory, not readable or no HDF5 file. Local.
  explicit InputFile(const std::string& path);

  /// Throws RunError when there is no such data set, or when it does not hold rows of numbers. `name` is a path inside
  /// the file, with or without the leading "/".
  DataSetReader data_set(const std::string& name) const;

  /// Whether the file has a link of that name, even one whose target is missing.
  bool has(const std::string& name) const;

  /// Paths of all data sets in the file, each with its leading "/", in the order of their names.
  std::vector<std::string> data_set_names() const;

 private:
  Handle open_data_set(const std::string& name, const Handle& access) const;
  [[noreturn]] void refuse(const std::string& name) const;

  std::string path_;
  Handle handle_;
};

}  // namespace sheaf
