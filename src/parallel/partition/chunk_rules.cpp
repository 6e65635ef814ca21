// SPDX-License-Identifier: MIT
#include "parallel/partition/chunk_rules.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sheaf {
namespace {

std::int64_t divide_up(std::int64_t count, std::int64_t parts) {
  return (count + parts - 1) / parts;
}

// Returns the chunk size of the batch that contains `taken`. A batch has `workers` chunks and half of the iterations
// that remained at its beginning. The loop takes at most log2(total) + 2 steps.
std::int64_t factoring_chunk(std::int64_t total, std::int64_t taken, std::int64_t workers) {
  std::int64_t batch_begin = 0;
  for (;;) {
    const std::int64_t chunk = divide_up(total - batch_begin, 2 * workers);
    const std::int64_t batch_end = batch_begin + chunk * workers;
    if (taken < batch_end) return chunk;
    batch_begin = batch_end;
  }
}

}  // namespace

PartitionKind settled_kind(AutoOr<PartitionKind> kind, bool is_streamed, bool is_one_node, std::int64_t combinations,
                           bool are_unequal) {
  if (kind != automatic) return kind;
  if (is_streamed && is_one_node && combinations == 1) return PartitionKind::block;
  return are_unequal && !is_streamed ? PartitionKind::self : PartitionKind::factoring;
}

bool is_dynamic(PartitionKind kind) {
  return kind != PartitionKind::block && kind != PartitionKind::cyclic;
}

std::int64_t chunk_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers, double weight,
                        std::int64_t at_once) {
  assert(is_dynamic(kind) && taken >= 0 && workers > 0 && weight > 0 && at_once > 0);
  const std::int64_t remaining = total - taken;
  if (remaining <= 0) return 0;
  std::int64_t size = 1, share = divide_up(remaining, workers);
  if (kind == PartitionKind::guided) size = share;
  if (kind == PartitionKind::factoring) size = factoring_chunk(total, taken, workers);
  if (kind == PartitionKind::weighted_factoring) {
    const double chunk = weight * static_cast<double>(factoring_chunk(total, taken, workers));
    size = static_cast<std::int64_t>(std::llround(std::min(chunk, static_cast<double>(remaining))));
    share = static_cast<std::int64_t>(std::ceil(std::min(weight, static_cast<double>(workers)) *
                                                static_cast<double>(remaining) / static_cast<double>(workers)));
  }
  size = std::max(size, std::min(at_once, share));
  return std::clamp<std::int64_t>(size, 1, remaining);
}

std::int64_t range_size(PartitionKind kind, std::int64_t total, std::int64_t taken, std::int64_t workers,
                        std::int64_t node_lanes, double weight, std::int64_t wanted) {
  assert(node_lanes > 0 && node_lanes <= workers && wanted > 0);
  const std::int64_t remaining = total - taken;
  if (kind == PartitionKind::self) {
    const std::int64_t most = node_lanes * chunk_size(PartitionKind::factoring, total, taken, workers, 1);
    return std::min({wanted, most, remaining});
  }
  const std::int64_t chunk = chunk_size(kind, total, taken, workers, weight);
  return std::min(chunk > 1 ? node_lanes * chunk : std::min(wanted, node_lanes), remaining);
}

std::int64_t next_wanted(std::int64_t last, std::int64_t waiting, std::int64_t most, double seconds) {
  constexpr double too_often = 5e-3, aim = 10e-3, too_seldom = 20e-3;
  std::int64_t wanted = last;
  if (seconds < too_often) wanted = 2 * last;
  if (seconds > too_seldom) wanted = static_cast<std::int64_t>(static_cast<double>(last) * aim / seconds);
  return std::min(std::max<std::int64_t>({wanted, waiting, 1}), most);
}

std::int64_t wanted_lanes(std::int64_t waiting, std::int64_t node_lanes, std::int64_t workers,
                          double iteration_seconds) {
  constexpr double min_seconds = 20e-3, seconds_per_answer = 2e-6;
  const double long_seconds = std::max(min_seconds, seconds_per_answer * static_cast<double>(workers));
  return iteration_seconds < long_seconds ? node_lanes : std::clamp<std::int64_t>(waiting, 1, node_lanes);
}

IndexRange static_claim(PartitionKind kind, std::int64_t total, std::int64_t workers, std::int64_t worker,
                        std::int64_t claim_index) {
  assert(!is_dynamic(kind) && worker >= 0 && worker < workers && claim_index >= 0);
  if (kind == PartitionKind::block) return claim_index == 0 ? split_evenly(total, workers, worker) : IndexRange{};
  const std::int64_t iteration = worker + claim_index * workers;
  return iteration < total ? IndexRange{iteration, iteration + 1} : IndexRange{};
}

}  // namespace sheaf
