// SPDX-License-Identifier: MIT
#include "parallel/devices/rank_placement.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "core/text.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/launcher.hpp"
#include "parallel/mpi/session.hpp"

namespace sheaf {
namespace {

// Gathers the lists of all ranks, in rank order. Collective.
template <class T>
std::vector<std::vector<T>> gather_lists(const Communicator& comm, const std::vector<T>& mine) {
  const auto counts = comm.all_gather(std::vector<std::int64_t>{static_cast<std::int64_t>(mine.size())});
  const auto all = comm.all_gather(mine);
  std::vector<std::vector<T>> lists;
  auto next = all.begin();
  for (const auto count : counts) {
    lists.emplace_back(next, next + count);
    next += count;
  }
  return lists;
}

// Returns "cpu", "cuda:0 NVIDIA H200" or "cuda:0 NVIDIA H200 and cpu". A rank has at most one GPU.
std::string device_names(const Placement& placement) {
  if (!placement.gpu) return "cpu";
  return fmt::format("cuda:{} {}{}", placement.lanes.front().gpu, placement.gpu->name,
                     placement.uses_cores() ? " and cpu" : "");
}

}  // namespace

bool machine_has_gpu() {
  std::error_code ignored;
  return std::filesystem::exists("/dev/nvidiactl", ignored);
}

Placement place_ranks(const RunOptions& options, const std::function<VisibleGpus()>& find_usable_gpus,
                      const Communicator& world, const Communicator& node) {
  BoundCores bound;
  VisibleGpus visible;
  agree(world, [&] {
    bound = find_bound_cores();
    if (!may_use_gpus(options))
      visible.none_reason = options.device == DeviceRequest::cpu ? "run.device = cpu" : "run.engine = native";
    else
      visible = find_usable_gpus();
  });
  std::vector<std::int64_t> gpu_ids;
  for (const auto& gpu : visible.gpus) gpu_ids.push_back(gpu.id);
  const auto cores = gather_lists(node, bound.cores);
  const auto gpus = gather_lists(node, gpu_ids);
  std::vector<RankView> views;
  for (std::size_t rank = 0; rank < cores.size(); ++rank) views.push_back({cores[rank], gpus[rank]});
  Placement placement;
  agree(world, [&] { placement = place_rank(options, views, node.rank(), visible.none_reason, machine_has_gpu()); });
  if (placement.uses_gpu()) placement.gpu = visible.gpus.at(static_cast<std::size_t>(placement.lanes.front().gpu));
  if (launched_rank() && placement.uses_cores() && placement.note.empty())
    placement.note = unused_cores_note(views, bound.machine_cores);
  return placement;
}

RankTable gather_rank_infos(const Placement& placement, const Communicator& world) {
  const auto texts = [&](const std::string& text) { return world.gather(text); };
  const auto hosts = texts(MpiSession::host_name());
  const auto devices = texts(device_names(placement));
  const auto notes = texts(placement.note);
  const auto numbers = world.gather(std::vector<std::int64_t>{placement.bound_cores, placement.lane_count(),
                                                              std::int64_t{placement.lanes.front().thread_count}});
  RankTable ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    ranks.add(
        {hosts[rank], devices[rank], numbers[3 * rank], numbers[3 * rank + 1], numbers[3 * rank + 2], notes[rank]});
  return ranks;
}

std::vector<std::string> placement_lines(const RankTable& ranks, std::size_t limit) {
  const auto describe = [](const RankInfo& rank) {
    std::string text = fmt::format("{} on {}: {}", rank.device, rank.host, counted(rank.lanes, "lane"));
    if (rank.threads > 1) text += fmt::format(" x {} threads", rank.threads);
    text += fmt::format(", {} bound", counted(rank.cores, "core"));
    return rank.note.empty() ? text : fmt::format("{} ({})", text, rank.note);
  };
  std::vector<std::string> lines;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks.are_equal(last + 1, first)) ++last;
    if (lines.size() == limit) {
      lines.push_back(fmt::format("ranks {}-{}: see the table /ranks of results.h5", first, ranks.size() - 1));
      return lines;
    }
    lines.push_back(first == last ? fmt::format("rank {}: {}", first, describe(ranks[first]))
                                  : fmt::format("ranks {}-{}: each {}", first, last, describe(ranks[first])));
    first = last + 1;
  }
  return lines;
}

}  // namespace sheaf
