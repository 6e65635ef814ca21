// Ends a job whose hosts have lost the network connection to each other.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/patience.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// run.network_timeout in seconds; infinity if there is no limit. Pure.
double network_timeout_of(const RunOptions& options);

/// "Finished iterations are in the journal. Continue with: sheaf resume runs/x". Pure.
std::string resume_advice(const std::string& resume_command);

/// The error message. `reason`: silence_text() (parallel/partition/work_source.hpp). `advice`: complete sentences.
/// Pure.
std::string cut_off_text(const std::string& reason, const std::string& advice);

/// Ends all reachable ranks of the job with exit code 75, without unwinding. A leader does so at once and releases the
/// launcher; it has already written `message` to stderr. Other ranks wait ten seconds for their leader, then write
/// `message` and end the job themselves. Local.
[[noreturn]] void end_cut_off(const std::string& message, bool is_leader);

/// For waits after the training, on all ranks: ends the job if the other ranks have not answered for
/// run.network_timeout. Without a limit if all ranks are on one node.
WhileWaiting network_limit(const RunOptions& options, const std::string& resume_command, const Communicator& world,
                           const Communicator& node);

}  // namespace sheaf
