// Chooses the refit of a search whose results are all known.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/train/training/final_gather.hpp"
#include "commands/train/training/model_saving.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/replay.hpp"
#include "runs/search_stages.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The results of a search on all ranks. Referenced objects outlive it.
struct SearchResults {
  const TrainingContext& context;
  const SavedModels& models;
  std::int64_t threads;  ///< of this rank
  const SearchStages& stages;
  const ResultStore& own;             ///< of this rank in this attempt, settled
  const Replay& earlier;              ///< on rank 0
  std::vector<std::string> journals;  ///< on rank 0: of each rank in this attempt; empty if it has none
};

/// The refits of the trial that ranks first on the leaderboard and of the members of the ensemble of trials
/// (search.ensemble), by trial. Empty if a result is not final, or if no fit of the first trial has finished, with a
/// warning. The result is on rank 0; empty on other ranks. Throws AgreedError. Collective over world.
std::vector<Refit> choose_refits(const SearchResults& results, const GatherRoute& route, const Communicator& world);

}  // namespace sheaf
