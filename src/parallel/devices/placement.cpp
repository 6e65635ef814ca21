// SPDX-License-Identifier: MIT
#include "parallel/devices/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {

bool may_use_gpus(const RunOptions& options) {
  return options.device != DeviceRequest::cpu && options.engine != EngineKind::native &&
         options.engine != EngineKind::xgboost;
}

namespace {

// Returns the GPU of each rank of the node in that rank's numbering, or -1 for no GPU.
std::vector<int> assign_gpus(const RunOptions& options, const std::vector<RankView>& views) {
  std::vector<int> gpus(views.size(), -1);
  if (!may_use_gpus(options)) return gpus;
  std::map<std::int64_t, std::int64_t> ranks_on;
  for (std::size_t rank = 0; rank < views.size(); ++rank) {
    const auto& visible = views[rank].gpu_ids;
    const auto freest = std::min_element(visible.begin(), visible.end(), [&ranks_on](std::int64_t a, std::int64_t b) {
      return ranks_on[a] < ranks_on[b];
    });
    if (freest == visible.end() || ranks_on[*freest] >= options.ranks_per_gpu) continue;
    ++ranks_on[*freest];
    gpus[rank] = static_cast<int>(freest - visible.begin());
  }
  return gpus;
}

// The ranks with the GPU of `rank`.
std::int64_t ranks_sharing(const std::vector<RankView>& views, const std::vector<int>& gpus, std::size_t rank) {
  const auto id = [&](std::size_t of) { return views[of].gpu_ids[static_cast<std::size_t>(gpus[of])]; };
  std::int64_t sharing = 0;
  for (std::size_t other = 0; other < views.size(); ++other) sharing += gpus[other] >= 0 && id(other) == id(rank);
  return sharing;
}

// Returns the number of cores of a rank; a core that several ranks train on is divided among them. At least 1.
std::int64_t shared_cores(const RunOptions& options, const std::vector<RankView>& views, const std::vector<int>& gpus,
                          std::size_t rank) {
  std::map<std::int32_t, int> users;
  for (std::size_t other = 0; other < views.size(); ++other) {
    if (gpus[other] >= 0 && options.core_lanes == 0) continue;
    for (std::int32_t core : views[other].cores) ++users[core];
  }
  double cores = 0;
  for (std::int32_t core : views[rank].cores) cores += 1.0 / std::max(1, users[core]);
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(cores + 1e-9));
}

void add_lanes(std::int64_t count, LaneDevice device, Placement& placement) {
  placement.lanes.insert(placement.lanes.end(), static_cast<std::size_t>(count), device);
}

void add_note(const std::string& note, Placement& placement) {
  if (note.empty()) return;
  placement.note += (placement.note.empty() ? "" : "; ") + note;
}

std::string crowding(std::int64_t lanes, std::int64_t threads, std::int64_t cores) {
  if (lanes * threads <= cores) return "";
  return fmt::format("{} x {} on {}", counted(lanes, "lane"), counted(threads, "thread"), counted(cores, "core"));
}

// `sharing`: ranks on the GPU.
Placement on_gpu(const RunOptions& options, int gpu, std::int64_t sharing, std::int64_t cores) {
  Placement placement;
  const std::int64_t lanes = std::max<std::int64_t>(1, options.lanes);
  add_lanes(lanes, {gpu, static_cast<int>(options.threads)}, placement);
  add_lanes(options.core_lanes, {-1, static_cast<int>(options.threads)}, placement);
  if (sharing > 1 || lanes > 1)
    add_note("several models share a GPU: without CUDA MPS their kernels run in turn", placement);
  add_note(crowding(options.core_lanes, options.threads, cores), placement);
  return placement;
}

// Empty on a machine without a GPU, where training on cores is expected.
std::string no_gpu_note(const RunOptions& options, const RankView& view, const std::string& none_reason,
                        bool machine_has_gpu) {
  if (options.device != automatic) return "";
  if (!view.gpu_ids.empty()) return "more ranks than GPUs";
  return machine_has_gpu ? "GPU not used: " + none_reason : "";
}

Placement on_cores(const RunOptions& options, std::int64_t cores, const std::string& note) {
  Placement placement;
  const std::int64_t lanes = options.lanes > 0 ? options.lanes : std::max<std::int64_t>(1, cores / options.threads);
  add_lanes(lanes, {-1, static_cast<int>(options.threads)}, placement);
  add_note(note, placement);
  add_note(crowding(lanes, options.threads, cores), placement);
  return placement;
}

}  // namespace

std::int64_t Placement::thread_count() const {
  return std::accumulate(lanes.begin(), lanes.end(), std::int64_t{0},
                         [](std::int64_t sum, const LaneDevice& lane) { return sum + lane.thread_count; });
}

std::int64_t Placement::gpu_lanes() const {
  return std::count_if(lanes.begin(), lanes.end(), [](const LaneDevice& lane) { return lane.on_gpu(); });
}

bool Placement::uses_gpu() const {
  return gpu_lanes() > 0;
}

bool Placement::uses_cores() const {
  return std::any_of(lanes.begin(), lanes.end(), [](const LaneDevice& lane) { return !lane.on_gpu(); });
}

Placement place_rank(const RunOptions& options, const std::vector<RankView>& views, int rank_on_node,
                     const std::string& none_reason, bool machine_has_gpu) {
  const auto rank = static_cast<std::size_t>(rank_on_node);
  const auto gpus = assign_gpus(options, views);
  const int gpu = gpus[rank];
  if (options.device == DeviceRequest::cuda && gpu < 0) {
    require(may_use_gpus(options), [&] {
      return fmt::format("run.device = cuda, but {} trains and evaluates on cores. Set run.device to auto or cpu.",
                         none_reason);
    });
    if (views[rank].gpu_ids.empty())
      throw RunError(
          fmt::format("run.device = cuda, but no GPU is available ({}). Set run.device to auto or cpu, or start the "
                      "job on a machine with GPUs.",
                      none_reason));
    throw RunError(fmt::format(
        "run.device = cuda, but {} ranks share a node with {} (run.ranks_per_gpu = {}). "
        "Start fewer ranks or raise run.ranks_per_gpu.",
        views.size(), counted(static_cast<std::int64_t>(views[rank].gpu_ids.size()), "GPU"), options.ranks_per_gpu));
  }
  const std::int64_t cores = shared_cores(options, views, gpus, rank);
  Placement placement = gpu >= 0
                            ? on_gpu(options, gpu, ranks_sharing(views, gpus, rank), cores)
                            : on_cores(options, cores, no_gpu_note(options, views[rank], none_reason, machine_has_gpu));
  placement.bound_cores = static_cast<std::int64_t>(views[rank].cores.size());
  return placement;
}

std::string unused_cores_note(const std::vector<RankView>& views, std::int64_t machine_cores) {
  std::set<std::int32_t> used;
  for (const RankView& view : views) {
    if (view.cores.size() > 1) return "";
    used.insert(view.cores.begin(), view.cores.end());
  }
  const std::int64_t unused = machine_cores - static_cast<std::int64_t>(used.size());
  if (unused <= 0) return "";
  return fmt::format("{} {} unused; with mpirun, pass --bind-to none", counted(unused, "core"),
                     unused == 1 ? "is" : "are");
}

}  // namespace sheaf
