// Which rank trains where: a pure function of what the ranks of one node can see.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// What one rank of a node sees.
struct RankView {
  std::vector<std::int32_t> cores;    ///< bound to it; ranks may overlap
  std::vector<std::int64_t> gpu_ids;  ///< usable GPUs in its own numbering, identified across ranks
};

/// Where one rank trains.
struct Placement {
  int gpu = -1;  ///< CUDA device in its own numbering; -1: CPU
  std::int64_t lanes = 1;
  std::int64_t threads = 1;  ///< inside each lane
  std::string note;          ///< what the user should know of it; may be empty
};

/// Whether ranks may be placed on GPUs, which the native engine does not use.
bool may_use_gpus(const RunOptions& options);

/// Places rank `rank_on_node` of the node whose ranks see `views`, in rank order.
/// GPUs: in rank order each rank takes the GPU it sees that has the fewest ranks so far, while that is below
/// ranks_per_gpu; those left over train on the CPU under device = auto. With engine = native all do. A GPU rank has
/// one lane unless lanes is set. A CPU rank has a lane for every `threads` of its bound cores, of which it has an even
/// share where other CPU ranks are bound to them; at least one. Throws RunError under device = cuda for a rank without
/// a GPU; `none_reason` says why there is none.
Placement place_rank(const RunOptions& options, const std::vector<RankView>& views, int rank_on_node,
                     const std::string& none_reason);

}  // namespace sheaf
