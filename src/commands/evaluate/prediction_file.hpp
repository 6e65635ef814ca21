// The file of predictions, written by all lanes of all ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "files/hdf5/row_file.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// The shape of the data sets in the file: `probabilities` [rows, outputs] and `labels` [rows], or `values` [rows,
/// outputs].
struct PredictionShape {
  std::int64_t rows = 0;
  std::int64_t outputs = 0;
  bool classes = false;
};

/// Has a temporary name until finish(). The destructor removes an unfinished file.
class PredictionFile {
 public:
  /// Creates the file. Throws AgreedError. Collective over world, which outlives the object.
  PredictionFile(const std::string& path, const PredictionShape& shape, const std::string& model,
                 const std::string& data, bool overwrite, const Communicator& world);
  PredictionFile(const PredictionFile&) = delete;
  PredictionFile& operator=(const PredictionFile&) = delete;

  /// Writes rows: predictions [rows, outputs] and, for classes, predicted labels [rows]. Thread-safe. Throws RunError.
  /// Local.
  void write(IndexRange rows, const float* predictions, const std::int64_t* labels) const;

  /// Gives the file its final name, after all ranks have written their rows. Throws AgreedError. Collective over world.
  void finish();

 private:
  PredictionShape shape_;
  const Communicator& world_;
  std::vector<std::int64_t> offsets_;
  std::optional<UnfinishedFile> file_;  // on rank 0
  std::unique_ptr<RowFileWriter> writer_;
};

}  // namespace sheaf
