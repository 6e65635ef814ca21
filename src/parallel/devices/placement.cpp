// SPDX-License-Identifier: MIT
#include "parallel/devices/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"

namespace sheaf {

bool may_use_gpus(const RunOptions& options) {
  return options.device != DeviceRequest::cpu && options.engine != EngineKind::native;
}

namespace {

// The GPU of each rank of the node in that rank's numbering, -1 for none.
std::vector<int> assign_gpus(const RunOptions& options, const std::vector<RankView>& views) {
  std::vector<int> gpus(views.size(), -1);
  if (!may_use_gpus(options)) return gpus;
  std::map<std::int64_t, std::int64_t> ranks_on;
  for (std::size_t rank = 0; rank < views.size(); ++rank) {
    const auto& seen = views[rank].gpu_ids;
    const auto freest = std::min_element(
        seen.begin(), seen.end(), [&ranks_on](std::int64_t a, std::int64_t b) { return ranks_on[a] < ranks_on[b]; });
    if (freest == seen.end() || ranks_on[*freest] >= options.ranks_per_gpu) continue;
    ++ranks_on[*freest];
    gpus[rank] = static_cast<int>(freest - seen.begin());
  }
  return gpus;
}

std::int64_t shared_cores(const std::vector<RankView>& views, const std::vector<int>& gpus, std::size_t rank) {
  std::map<std::int32_t, int> users;
  for (std::size_t other = 0; other < views.size(); ++other) {
    if (gpus[other] >= 0) continue;
    for (std::int32_t core : views[other].cores) ++users[core];
  }
  double share = 0;
  for (std::int32_t core : views[rank].cores) share += 1.0 / std::max(1, users[core]);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(share + 1e-9));
}

}  // namespace

Placement place_rank(const RunOptions& options, const std::vector<RankView>& views, int rank_on_node,
                     const std::string& none_reason) {
  const auto rank = static_cast<std::size_t>(rank_on_node);
  const auto gpus = assign_gpus(options, views);
  Placement placement;
  placement.gpu = gpus[rank];
  if (options.device == DeviceRequest::cuda && placement.gpu < 0) {
    if (views[rank].gpu_ids.empty())
      throw RunError(
          fmt::format("run.device = cuda, but there is no GPU to use ({}). Use run.device = auto or cpu, or "
                      "start the job where there are GPUs.",
                      none_reason));
    throw RunError(
        fmt::format("run.device = cuda, but {} ranks share a node with {} GPU(s) (run.ranks_per_gpu = {}). "
                    "Start fewer ranks, or raise run.ranks_per_gpu.",
                    views.size(), views[rank].gpu_ids.size(), options.ranks_per_gpu));
  }
  const std::int64_t cores = shared_cores(views, gpus, rank);
  placement.threads = options.threads;
  if (placement.gpu >= 0) {
    placement.lanes = options.lanes > 0 ? options.lanes : 1;
    if (options.ranks_per_gpu > 1 || placement.lanes > 1)
      placement.note = "several trainings share a GPU: without CUDA MPS their kernels take turns";
    return placement;
  }
  placement.lanes = options.lanes > 0 ? options.lanes : std::max<std::int64_t>(1, cores / options.threads);
  if (options.device == DeviceRequest::automatic && views[rank].gpu_ids.empty())
    placement.note = fmt::format("no GPU ({})", none_reason);
  else if (options.device == DeviceRequest::automatic)
    placement.note = "more ranks than GPUs";
  if (placement.lanes * placement.threads > cores)
    placement.note += fmt::format("{}{} lane(s) x {} thread(s) on {} core(s)", placement.note.empty() ? "" : "; ",
                                  placement.lanes, placement.threads, cores);
  return placement;
}

}  // namespace sheaf
