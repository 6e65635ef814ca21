// Evaluates trained models on a file of any size. Each rank evaluates a part of the rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "commands/evaluate/evaluation_report.hpp"
#include "commands/evaluate/evaluation_request.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Returns the report on rank 0. Metrics and predictions are bit-identical for any number of ranks and lanes.
/// Throws AgreedError. Collective over world.
EvaluationReport execute_evaluate(const EvaluationRequest& request, const Communicator& world);

/// Parses the arguments on every rank, evaluates, and prints the report on rank 0. Throws AgreedError. Collective over
/// world.
void evaluate_and_report(const std::function<EvaluateArguments()>& parse, const Communicator& world);

}  // namespace sheaf
