// The ensembles' own scores, from predictions that lie in the journals.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "journal/replay.hpp"
#include "results/leaderboard.hpp"

namespace sheaf {

/// For each trial, repeat and fold: averages its members' predictions, in member order, and scores the average on the
/// validation rows. `replay` is complete. Reads one ensemble at a time, so that never more than one is in memory. Empty
/// for studies without an ensemble or without validation rows. Throws RunError. Local.
std::vector<EnsembleRecord> score_ensembles(const TrainingContext& context, const Replay& replay);

}  // namespace sheaf
