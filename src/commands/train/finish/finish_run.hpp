// The end of a run: gathers the results of all ranks on rank 0, writes the result files and prints the summary.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/train/finish/end_of_run.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Writes the results of a complete run and prints its summary on stdout of rank 0, or reports the remaining
/// iterations. Results come from the memory of the ranks and, for earlier attempts, from OpenRun::earlier; an array
/// task reads the results of other tasks from their journals. Returns the same code on every rank: done; failed if some
/// iterations could not be trained or none finished; stopped if the run stopped before its last iteration. Ends the job
/// if a host does not answer for run.network_timeout. Throws AgreedError. Collective over world; `leaders`: the leaders
/// of the nodes.
ExitCode finish_run(const EndOfRun& end, const Communicator& world, const Communicator& node,
                    const Communicator& leaders);

}  // namespace sheaf
