// Finds out where every rank of the job trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "parallel/devices/gpus.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/devices/rank_info.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Looks at this rank's cores and GPUs, compares with the other ranks of the node, and places it. `find_usable_gpus` is
/// called only where ranks may be placed on GPUs; local, it may throw. Throws on every rank when one cannot be placed.
/// Collective over world.
Placement place_ranks(const RunOptions& options, const std::function<VisibleGpus()>& find_usable_gpus,
                      const Communicator& world, const Communicator& node);

/// What a rank tells of its placement, from every rank, on every rank. Collective over world.
std::vector<RankInfo> gather_rank_infos(const Placement& placement, const Communicator& world);

/// The placement as lines for the log; equal neighbours share one. At most `limit` lines.
std::vector<std::string> placement_lines(const std::vector<RankInfo>& ranks, std::size_t limit = 32);

}  // namespace sheaf
