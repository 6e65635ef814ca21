// Finds out how the targets of an HDF5 file store classes: as numbers, as texts, one-hot, or as
// several labels per row.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/file_schema.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// Returns the class of a one-hot row: the position of its only 1. Returns -1 if another value than 0 and 1 occurs, and
/// otherwise -2 if the number of ones is not 1. Pure.
template <class T>
std::int64_t one_hot_class(const T* values, std::int64_t count) {
  std::int64_t found = -2, ones = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    if (values[index] == T{0}) continue;
    if (values[index] != T{1}) return -1;
    found = ++ones == 1 ? index : -2;
  }
  return found;
}

/// Sets schema.coding, and schema.classes if the targets are one-hot: [rows, classes] with exactly one 1 per row and
/// otherwise 0. Others of only 0 and 1 are multilabel, and with data.task = multilabel, or if the file says so, also
/// those that are one-hot. Targets are read only if data.task is not regression and their first rows are 0 and 1.
/// Throws AgreedError if the targets do not have the values that data.task needs, or if names do not fit their columns.
/// Collective over world.
void settle_target_coding(const DataOptions& options, FileSchema& schema, const Communicator& world);

/// Reads labels of text. Each rank of `node` reads a part of the rows. Returns the names of the classes: those of
/// schema.description, if it has any, otherwise the texts in sorted order. Throws AgreedError. Collective over world.
std::vector<std::string> read_text_labels(const StoredRows& stored, const FileSchema& schema, const Communicator& world,
                                          const Communicator& node, std::int64_t* labels);

}  // namespace sheaf
