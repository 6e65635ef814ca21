// The end of a job whose hosts no longer reach each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/patience.hpp"
#include "study/study.hpp"

namespace sheaf {

/// run.network_timeout in seconds; infinity for none. Pure.
double network_timeout_of(const RunOptions& options);

/// The message for the user. `reason`: silence_text() (parallel/partition/work_source.hpp). Pure.
std::string cut_off_text(const std::string& reason, const std::string& resume_command);

/// Ends the job, as far as it can be reached, with exit code 75, without unwinding. The first rank of a node, the
/// leader, does so at once, and releases the launcher; its `message` is on stderr already. The others give it ten
/// seconds, and do it in its place then. Local.
[[noreturn]] void end_cut_off(const std::string& message, bool is_leader);

/// For waits after the training, on all ranks: ends the job when the other ranks have not answered for
/// run.network_timeout. Never where all ranks are on one node.
WhileWaiting network_limit(const RunOptions& options, const std::string& resume_command, const Communicator& world,
                           const Communicator& node);

}  // namespace sheaf
