// Determines the devices on which each rank of the job trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parallel/devices/gpus.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/devices/rank_info.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// Finds the cores and GPUs of this rank, exchanges them with the other ranks of the node, and places the rank.
/// `find_usable_gpus` is local and may throw; it is called only if the options allow GPUs. Throws AgreedError on every
/// rank if one cannot be placed. Collective over world.
Placement place_ranks(const RunOptions& options, const std::function<VisibleGpus()>& find_usable_gpus,
                      const Communicator& world, const Communicator& node);

/// Whether this machine has a GPU with a driver, usable or not. Local.
bool machine_has_gpu();

/// Gathers the information on every rank of the job on rank 0; returns an empty table on other ranks. Collective over
/// world.
RankTable gather_rank_infos(const Placement& placement, const Communicator& world);

/// Formats the placement for the log. Consecutive ranks with equal placement share a line. Returns at most `limit`
/// lines, followed by a line for the other ranks, if any.
std::vector<std::string> placement_lines(const RankTable& ranks, std::size_t limit = 32);

}  // namespace sheaf
