// Evaluates trained models on a file of any size: each rank a part of its rows, each lane block after block.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/evaluate/evaluation_report.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// The report is on rank 0. Metrics and predictions are the same to the bit for any number of ranks and lanes.
/// Throws on every rank alike. Collective over world.
EvaluationReport execute_evaluate(const EvaluationRequest& request, const Communicator& world);

}  // namespace sheaf
