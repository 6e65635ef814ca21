// The ensembles' own scores, from predictions that lie scattered over the ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "mpi/communicator.hpp"
#include "results/leaderboard.hpp"

namespace sheaf {

/// For each trial, repeat and fold: averages its members' predictions, in member order, and scores the average on the
/// validation rows. `trained` is what this rank trained; `records` all records, in order, on rank 0. Gathers one
/// ensemble at a time, so rank 0 never holds more than one. The result is on rank 0; it is empty for studies without an
/// ensemble or without validation rows. Collective over world.
std::vector<EnsembleRecord> score_ensembles(const TrainingContext& context,
                                            const std::vector<TrainedIteration>& trained,
                                            const std::vector<IterationRecord>& records, const Communicator& world);

}  // namespace sheaf
