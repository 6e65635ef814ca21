// Assigns cores and GPUs to the lanes of a rank: a pure function of the cores and GPUs that the ranks of a node have.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parallel/devices/gpus.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// The cores and GPUs that one rank of a node may use.
struct RankView {
  std::vector<std::int32_t> cores;    ///< bound cores; ranks may overlap
  std::vector<std::int64_t> gpu_ids;  ///< Gpu::id of the usable GPUs, in the rank's own numbering
};

/// The devices on which one rank trains. Its lanes may have different devices.
struct Placement {
  std::vector<LaneDevice> lanes;  ///< the device of each lane; GPUs are in the rank's own numbering
  std::string note;               ///< a remark for the user; may be empty
  std::int64_t bound_cores = 0;   ///< the number of cores to which the rank is bound
  std::optional<Gpu> gpu{};       ///< that its lanes use, and other ranks may share

  std::int64_t lane_count() const { return static_cast<std::int64_t>(lanes.size()); }
  std::int64_t thread_count() const;  ///< the sum over all lanes
  std::int64_t gpu_lanes() const;     ///< the lanes that train on its GPU
  bool uses_gpu() const;              ///< whether at least one lane trains on a GPU
  bool uses_cores() const;            ///< whether at least one lane trains on the CPU
};

/// Returns whether the options allow GPUs. The native engine does not use them.
bool may_use_gpus(const RunOptions& options);

/// Places rank `rank_on_node` of a node. `views` has one entry per rank of the node, in rank order.
///
/// In rank order, each rank takes the visible GPU with the fewest ranks so far, if it has fewer than ranks_per_gpu.
/// With device = auto, ranks without a GPU train on the CPU. With engine = native, all ranks do. A GPU rank has one
/// lane on its GPU, or `lanes` if that is set, followed by core_lanes lanes on its cores. A CPU rank has one lane per
/// `threads` bound cores, but at least one; ranks that train on the same cores divide them evenly.
///
/// Throws RunError with device = cuda if the rank has no GPU. `none_reason`: why no GPU is visible, for the message.
/// `machine_has_gpu`: whether the machine has a GPU that is not visible; the note then includes the reason.
Placement place_rank(const RunOptions& options, const std::vector<RankView>& views, int rank_on_node,
                     const std::string& none_reason, bool machine_has_gpu = false);

/// A remark for the user if mpirun has bound each rank of the node to one core and other cores of the machine have no
/// rank (its default for one or two ranks); otherwise empty. Pure.
std::string unused_cores_note(const std::vector<RankView>& views, std::int64_t machine_cores);

}  // namespace sheaf
