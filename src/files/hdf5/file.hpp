// Opens HDF5 files for reading.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/hdf5/data_set.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/table_reader.hpp"

namespace sheaf {

/// What a data set may contain.
enum class Values { numbers, numbers_or_texts };

class InputFile {
 public:
  /// Throws RunError if `path` is missing, a directory, not readable or not an HDF5 file. Local.
  explicit InputFile(const std::string& path);

  /// Opens a data set. `name` is a path in the file, with or without the leading "/". Throws RunError if the data set
  /// does not exist or does not contain rows of such values, or if its numbers stand for other values
  /// (number_meaning).
  DataSetReader data_set(const std::string& name, Values values = Values::numbers) const;

  /// Opens a table. Throws RunError if the data set does not exist or is not a table.
  TableReader table(const std::string& name) const;

  /// Returns whether the file has a link of that name, even if its target is missing.
  bool has(const std::string& name) const;
  /// Returns whether there is a data set of that name.
  bool has_data_set(const std::string& name) const;

  /// Returns whether the data set or group at this path has such an attribute.
  bool has_attribute(const std::string& object, const std::string& attribute) const;

  /// Returns the texts of an attribute: one for a scalar, otherwise one per element. `object` is the path of a data set
  /// or a group. Texts that are not UTF-8 are decoded as Latin-1. Returns nullopt if the object or the attribute does
  /// not exist. Throws RunError if the attribute does not contain texts or cannot be read.
  std::optional<std::vector<std::string>> texts(const std::string& object, const std::string& attribute) const;

  /// Returns the numbers of an attribute that is a list of floating-point numbers. Returns nullopt for attributes of
  /// another form, and if the object or the attribute does not exist. Throws RunError if the attribute cannot be read.
  std::optional<std::vector<double>> reals(const std::string& object, const std::string& attribute) const;

  /// Returns list_data_sets().
  std::vector<std::string> data_set_names() const;

 private:
  Handle open_data_set(const std::string& name, const Handle& access) const;
  [[noreturn]] void refuse(const std::string& name) const;
  [[noreturn]] void refuse_type(const std::string& description, const std::string& content, bool is_table) const;

  std::string path_;
  Handle handle_;
};

}  // namespace sheaf
