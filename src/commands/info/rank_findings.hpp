// Gathers facts about this rank, its host and the job, and checks them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "commands/info/finding.hpp"
#include "commands/info/processor_findings.hpp"
#include "parallel/devices/gpus.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Facts that `sheaf info` has already found for other lines of its output.
struct KnownFacts {
  VisibleGpus usable;                   ///< GPUs on which this rank could train
  std::int64_t lanes = 1;               ///< of this rank
  ProductSpeed speed;                   ///< of matrix products on one core
  std::vector<LibraryFacts> libraries;  ///< of the engine table, in its order
};

/// The findings of all checks on this rank, the same checks in the same order on every rank. Throws AgreedError.
/// Collective over world, of which `node` is the part on this host.
std::vector<Finding> check_rank(const KnownFacts& known, const Communicator& world, const Communicator& node);

}  // namespace sheaf
