// The rows of a CSV or NumPy file, for an evaluation. One copy per node is in memory.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/evaluate/evaluated_rows.hpp"
#include "data/import/import_files.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Facts about the images of a file; see row_layout().
struct ImageFacts {
  std::optional<ChannelOrder> requested;  ///< data.channels
  ImageShape image;                       ///< data.image
  ImageShape expected;                    ///< of the model
  bool is_needed = false;                 ///< whether the model sees images, so that their layout must be certain
};

struct ImportedRows {
  std::unique_ptr<EvaluatedRows> rows;
  std::optional<IdColumn> ids;  ///< on rank 0, with --id
};

/// Imports `path` on one rank per node. Images get their channels first. Logs the notes of the
/// import. The ranks of `node` must destroy the result together. Throws AgreedError. Collective over world.
ImportedRows import_evaluated_rows(const std::string& path, const ImportOptions& options, const ImageFacts& images,
                                   const Communicator& world, const Communicator& node);

}  // namespace sheaf
