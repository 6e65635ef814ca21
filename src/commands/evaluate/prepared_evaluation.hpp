// What every job that applies a model to rows does first: it places the ranks, opens models and rows, and chooses how
// predictions are scored and which engine makes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "commands/evaluate/evaluated_model.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct PreparedEvaluation {
  Communicator node;
  Placement placement;
  EvaluatedModel evaluated;
  std::string engine;  ///< "native", "torch (the network has convolutions)"
};

/// `choose` is called after choose_scoring(); it is local and may throw. Throws AgreedError. All ranks must destroy the
/// result together. Collective over world.
PreparedEvaluation prepare_evaluation(const EvaluationRequest& request,
                                      const std::function<void(EvaluatedModel&)>& choose, const Communicator& world);

/// Logs the numbers of empty cells that were filled, and of cells that the model does not know, in the rows that all
/// ranks have read. Collective over world.
void log_changed_cells(std::int64_t empty_cells, std::int64_t unknown_cells, const Communicator& world);

}  // namespace sheaf
