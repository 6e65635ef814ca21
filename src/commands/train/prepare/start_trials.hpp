// The trials of search.start from the results of an older run.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "parallel/mpi/communicator.hpp"
#include "runs/run_reader.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The values of the five best complete trials of `run` with different values, or fewer, best first. Keys that the
/// study does not search are left out, and so are those without effect in their trial. Throws UsageError if the run has
/// no complete trial or searches none of the keys of the study, or if a value is outside the search. Pure.
std::vector<StartTrial> start_trials_of(const RunState& run, const Study& study);

/// The study with trials instead of the directory of a run in search.start, so that it does not depend on that run any
/// more. Logs which trials they are. Throws AgreedError if the directory has no run, and for the errors of read_run()
/// and start_trials_of(). Collective over world.
Study with_start_trials(Study study, const Communicator& world);

}  // namespace sheaf
