// The file of an evaluation's predictions, filled by all lanes of all ranks.
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

/// What it holds: `probabilities` [rows, outputs] and `labels` [rows], or `values` [rows, outputs].
struct PredictionShape {
  std::int64_t rows = 0;
  std::int64_t outputs = 0;
  bool classes = false;
};

/// It has a temporary name until finish(), and is removed when that does not come.
class PredictionFile {
 public:
  /// Throws on every rank alike when it cannot be made. Collective over world, which outlives it.
  PredictionFile(const std::string& path, const PredictionShape& shape, const std::string& model,
                 const std::string& data, bool overwrite, const Communicator& world);
  PredictionFile(const PredictionFile&) = delete;
  PredictionFile& operator=(const PredictionFile&) = delete;

  /// Writes rows: predictions [rows, outputs] and, of classes, the labels that they mean. Thread-safe. Throws RunError.
  /// Local.
  void write(IndexRange rows, const float* predictions, const std::int64_t* labels) const;

  /// All rows are written on all ranks: gives the file its name. Throws on every rank alike. Collective over world.
  void finish();

 private:
  PredictionShape shape_;
  const Communicator& world_;
  std::vector<std::int64_t> offsets_;
  std::optional<UnfinishedFile> file_;  // on rank 0; removed unless it is finished
  std::unique_ptr<RowFileWriter> writer_;
};

}  // namespace sheaf
