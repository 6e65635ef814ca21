// The main job: trains a study on all ranks and gathers the results on rank 0.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/prepare/open_run.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"
#include "search/search_table.hpp"

namespace sheaf {

struct Study;

/// Trains all iterations of the study that have no result in its run directory, gathers the results on rank 0, writes
/// the result files and prints the summary on stdout of rank 0. `make`: makes the searcher. All checks are done before
/// the run directory is created.
///
/// Returns the same code on every rank: done; failed if some iterations could not be trained or none finished; stopped
/// if a signal or the time limit stopped the training, so that there are no result files yet. A signal (StopSignals)
/// before the training either throws with the code stopped and leaves no new directory, or stops the training at once.
/// A signal while results are written has no effect. Throws AgreedError; if a single rank fails during the training,
/// the whole job ends at once with exit code 1. Collective over world.
ExitCode execute_run(const Study& requested, const RunRequest& request, const Communicator& world,
                     MakeSearcher make = make_searcher);

}  // namespace sheaf
