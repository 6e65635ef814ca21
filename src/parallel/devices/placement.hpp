// Which lane trains where: a pure function of what the ranks of one node can see.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel/devices/lane_device.hpp"
#include "study/study.hpp"

namespace sheaf {

/// What one rank of a node sees.
struct RankView {
  std::vector<std::int32_t> cores;    ///< bound to it; ranks may overlap
  std::vector<std::int64_t> gpu_ids;  ///< usable GPUs in its own numbering, identified across ranks
};

/// Where one rank trains. Its lanes may have different devices.
struct Placement {
  std::vector<LaneDevice> lanes;  ///< the device of each lane, by its number; GPUs in the rank's own numbering
  std::string note;               ///< what the user should know of it; may be empty

  std::int64_t lane_count() const { return static_cast<std::int64_t>(lanes.size()); }
  std::int64_t thread_count() const;  ///< of all lanes
  bool uses_gpu() const;              ///< some lane does
  bool uses_cores() const;            ///< some lane has no GPU
};

/// Whether ranks may be placed on GPUs, which the native engine does not use.
bool may_use_gpus(const RunOptions& options);

/// Places rank `rank_on_node` of the node whose ranks see `views`, in rank order.
/// GPUs: in rank order each rank takes the GPU it sees that has the fewest ranks so far, while that is below
/// ranks_per_gpu; those left over train on the CPU under device = auto. With engine = native all do. A GPU rank has
/// one lane on its GPU unless lanes is set, and after these core_lanes on its cores. A CPU rank has one lane for each
/// `threads` of its bound cores, shared evenly with the other ranks that train on the same cores; at least one. Throws
/// RunError under device = cuda for a rank without a GPU; `none_reason` says why there is none.
Placement place_rank(const RunOptions& options, const std::vector<RankView>& views, int rank_on_node,
                     const std::string& none_reason);

}  // namespace sheaf
