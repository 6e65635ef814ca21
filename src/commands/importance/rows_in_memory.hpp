// The rows on which importances are computed, in memory: one copy per node, since permutations need all of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include "commands/evaluate/prepared_evaluation.hpp"
#include "commands/importance/importance_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/shared_array.hpp"

namespace sheaf {

struct RowsInMemory {
  std::int64_t count = 0;
  const float* features = nullptr;       ///< [count, features]; empty cells are NaN
  const std::int64_t* labels = nullptr;  ///< [count], for classification; otherwise null
  const float* targets = nullptr;        ///< [count, EvaluatedModel::target_columns()]; null for classification
  const float* weights = nullptr;        ///< [count]; null: all are 1
  std::unique_ptr<NodeMemory> memory;    ///< has all of them
};

/// Reads all rows, or draws some (ImportanceRequest::rows), with all ranks and lanes, and checks them as an evaluation
/// does. Logs the numbers of empty and of unknown cells. `lane_bytes_per_row`: the memory that each lane needs besides
/// them. Throws AgreedError, also if all that does not fit into the memory of a node, if there are fewer than two rows,
/// and if all weights are 0. The ranks of a node must destroy the result together. Collective over world.
RowsInMemory read_rows(const ImportanceRequest& request, double lane_bytes_per_row, const PreparedEvaluation& prepared,
                       const Communicator& world);

}  // namespace sheaf
