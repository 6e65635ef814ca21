// The file of predictions, HDF5 or CSV. All lanes of all ranks write to it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/evaluate/prediction_csv.hpp"
#include "core/index_range.hpp"
#include "files/hdf5/row_file.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// An HDF5 file with the data sets `probabilities` [rows, outputs] and `labels`, [rows] of classes or [rows, outputs]
/// of 0 and 1, or `values` [rows, outputs]. A CSV file (name.csv) is made from such a file at the end, since its lines
/// have different lengths. Has a temporary name until finish(). The destructor removes an unfinished file.
class PredictionFile {
 public:
  /// Creates the file. Throws AgreedError. Collective over world, which outlives the object.
  PredictionFile(const std::string& path, PredictionContents contents, bool overwrite, const Communicator& world);
  PredictionFile(const PredictionFile&) = delete;
  PredictionFile& operator=(const PredictionFile&) = delete;

  /// Writes rows: predictions [rows, outputs] without offsets, and those of predict_labels(). Thread-safe.
  /// Throws RunError. Local.
  void write(IndexRange rows, const float* predictions, const std::int64_t* labels) const;

  /// Gives the file its final name, after all ranks have written their rows. Throws AgreedError. Collective over world.
  void finish();

 private:
  void write_csv() const;
  template <class Value>
  void write_lines(UnfinishedFile& csv) const;

  std::string path_;
  PredictionContents contents_;
  const Communicator& world_;
  std::vector<std::int64_t> offsets_;
  std::optional<UnfinishedFile> file_;  // on rank 0
  std::unique_ptr<RowFileWriter> writer_;
};

/// Throws UsageError, with the name of the option, unless the name ends in .csv or as an HDF5 file, and in .csv if
/// there is an `id` column (not empty).
void require_prediction_ending(const std::string& path, const std::string& option, const std::string& id);

}  // namespace sheaf
