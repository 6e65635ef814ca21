// Computes the permutation importance of features with all ranks and lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "commands/importance/importance_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/results/feature_importance.hpp"

namespace sheaf {

struct ImportanceResult {
  FeatureImportances importances;
  std::string engine;    ///< PreparedEvaluation::engine
  double seconds = 0;    ///< of all predictions and their scores
  double predicted = 0;  ///< rows, counted once for each permutation
};

/// Returns the result on rank 0 and stores it in the run directory if the request says so. Importances are
/// bit-identical for any number of ranks and lanes. Throws AgreedError. Collective over world.
ImportanceResult compute_importances(const ImportanceRequest& request, const Communicator& world);

}  // namespace sheaf
