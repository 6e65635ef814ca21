// The main job: a study trained over all ranks, its final losses gathered on rank 0.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/open_run.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"
#include "search/search_table.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Trains every iteration that the study's searcher, made by `make`, names and its run directory does not have yet,
/// gathers the results on rank 0, writes
/// the results and prints the summary on stdout of rank 0. Everything is checked before the run directory is made.
/// Returns, on every rank alike, done; failed when some iterations could not be trained; stopped when a signal or the
/// time limit came first: then there are no results yet. A signal (StopSignals) that comes before the training makes it
/// throw with the code stopped and leave no new directory, or end the training at once; while results are written it
/// has no effect. Throws AgreedError on every rank alike; a rank that fails alone in mid-run ends the whole job at once
/// with exit code 1. Collective over world.
ExitCode execute_run(const Study& study, const RunRequest& request, const Communicator& world,
                     MakeSearcher make = make_searcher);

}  // namespace sheaf
