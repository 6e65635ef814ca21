// Chooses the refit of a search whose results are all known.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/train/training/final_gather.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/replay.hpp"
#include "runs/search_stages.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The results of a search on all ranks. Referenced objects outlive it.
struct SearchResults {
  const TrainingContext& context;
  const SearchStages& stages;
  const ResultStore& own;             ///< of this rank in this attempt, settled
  const Replay& earlier;              ///< on rank 0
  std::vector<std::string> journals;  ///< on rank 0: of each rank in this attempt; empty if it has none
};

/// The refits of the best trials: of the trial that ranks first on the leaderboard. Empty if a result is not final, or
/// if no fit of the trial has finished, with a warning. The result is on rank 0; empty on other ranks. Throws
/// AgreedError. Collective over world.
std::vector<Refit> choose_refits(const SearchResults& results, const GatherRoute& route, const Communicator& world);

}  // namespace sheaf
