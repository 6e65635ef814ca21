// Finds the offsets (data/column_offset) of numbers in files that store them unchanged, from a sample of their rows.
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

/// The offset of each column of an array [rows, columns], from up to 4096 rows that are spread over it. Empty: all are
/// 0. Pure.
std::vector<double> column_offsets(const double* values, std::int64_t rows, std::int64_t columns);

/// Same, for a data set. Empty for numbers that float represents by their type. Throws as StoredRows::read(). Local.
std::vector<double> column_offsets(const StoredRows& rows);

/// The schema of the study's data file with the offsets of its features, unless they are images, and of its regression
/// targets; held-out files get the same ones. Reads a sample on rank 0, and warns of columns of floats that have lost
/// digits. `options`: with the task settled. Throws AgreedError. Collective over world.
FileSchema with_offsets(const DataOptions& options, FileSchema schema, const Communicator& world);

/// The offsets of `outputs` outputs: those of the targets, or that of the only target for each of them. Pure.
std::vector<double> repeated_offsets(const std::vector<double>& target_offsets, std::int64_t outputs);

}  // namespace sheaf
