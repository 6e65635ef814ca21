// SPDX-License-Identifier: MIT
#include "commands/train/training/work_ahead.hpp"

#include "parallel/partition/chunk_rules.hpp"
#include "study/plan.hpp"

namespace sheaf {
namespace {

constexpr double min_waiting_seconds = 0.1;  // shorter waits are not worth a checkpoint
constexpr double decision_share = 0.02;      // of the time of rank 0's main thread
constexpr std::int64_t max_ranked = 100000;  // iterations, because the main thread also answers other nodes

}  // namespace

WorkAhead::WorkAhead(SearchStages& stages, std::int64_t count, const ResultStore& earlier, const Communicator& channel)
    : stages_(stages),
      iterations_(stages.last_iterations()),
      count_(count),
      next_(*stages.following()),
      decides_(channel.is_root()),
      results_(channel) {
  if (!decides_) return;
  const IndexRange positions = earlier.positions_of(iterations_);
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    stages_.add(earlier[static_cast<std::size_t>(position)].trained.result);
}

std::vector<IndexRange> WorkAhead::iterations_at_positions(const IndexRange& claim) const {
  const std::int64_t first = iterations_.begin - count_;
  return {{first + claim.begin, first + claim.end}};
}

void WorkAhead::service(WorkSource& source) {
  for (const EarlyResult& arrived : results_.service()) {
    stages_.add(arrived.iteration, arrived.result);
    if (++heard_ == count_) source.close();
  }
  if (decides_ && heard_ < count_ && !source.is_stopped()) add_work(source);
}

void WorkAhead::add_work(WorkSource& source) {
  const auto now = Clock::now();
  if (!source.is_short()) {
    was_short_ = false;
    return;
  }
  if (!was_short_) short_since_ = now;
  was_short_ = true;
  if (not_added_.empty() && seconds_between(short_since_, now) < min_waiting_seconds) return;
  if (not_added_.empty() && decided_at_ != heard_ && now >= next_decision_) find_certain_trials();
  const Plan& plan = stages_.plan();
  for (std::int64_t added = 0; !not_added_.empty() && added < source.lane_count();) {
    const IndexRange numbers = plan.iterations_of_trial(plan.stage_count() - 1, not_added_.back());
    const std::int64_t shift = count_ - iterations_.begin;
    source.add({numbers.begin + shift, numbers.end + shift});
    added += numbers.count();
    not_added_.pop_back();
  }
}

void WorkAhead::find_certain_trials() {
  const auto start = Clock::now();
  for (const IndexRange& trials : stages_.certain())
    for (std::int64_t trial = trials.begin; trial < trials.end; ++trial)
      if (found_.insert(trial).second) not_added_.push_back(trial);
  decided_at_ = heard_;
  const auto pause = std::chrono::duration<double>(seconds_since(start) / decision_share);
  next_decision_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
}

bool allows_work_ahead(const SearchStages& stages, PartitionKind partition, bool is_streamed, bool is_array_task,
                       std::int64_t lanes) {
  return stages.following().has_value() && is_dynamic(partition) && !is_streamed && !is_array_task && lanes > 1 &&
         stages.last_iterations().count() <= max_ranked;
}

}  // namespace sheaf
