// SPDX-License-Identifier: MIT
#include "commands/train/training/work_ahead.hpp"

#include <algorithm>
#include <iterator>

#include "parallel/partition/chunk_rules.hpp"
#include "study/plan.hpp"

namespace sheaf {
namespace {

constexpr double min_waiting_seconds = 0.1;  // shorter waits are not worth a checkpoint
constexpr double decision_share = 0.02;      // of the time of rank 0's main thread
constexpr std::int64_t max_ranked = 100000;  // iterations, because the main thread also answers other nodes

Plan with_stages(Plan plan, const std::vector<Stage>& stages) {
  for (const Stage& stage : stages) plan.add(stage);
  return plan;
}

}  // namespace

WorkAhead::WorkAhead(SearchStages& stages, std::int64_t count, const ResultStore& earlier, const Communicator& channel)
    : stages_(stages),
      count_(count),
      plan_(with_stages(stages.plan(), stages.possible_stages())),
      first_(stages.plan().iteration_count()),
      decides_(channel.is_root()),
      results_(channel) {
  if (!decides_) return;
  add_new_trials();
  const IndexRange positions = earlier.positions_of(stages_.last_iterations());
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    stages_.add(earlier[static_cast<std::size_t>(position)].trained.result);
}

std::vector<IndexRange> WorkAhead::iterations_at_positions(const IndexRange& claim) const {
  return {{first_ - count_ + claim.begin, first_ - count_ + claim.end}};
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
  has_waited_ = has_waited_ || seconds_between(short_since_, now) >= min_waiting_seconds;
  if (!has_waited_) return;
  if (not_added_.empty() && decided_at_ != heard_ && now >= next_decision_) find_certain_trials();
  for (std::int64_t added = 0; !not_added_.empty() && added < source.lane_count();) {
    const auto last = std::prev(not_added_.end());
    const Iteration iteration = plan_.iteration(*last);
    const IndexRange numbers = plan_.iterations_of_trial(iteration.stage, iteration.trial);
    source.add({count_ + numbers.begin - first_, count_ + numbers.end - first_});
    added += numbers.count();
    not_added_.erase(last);
  }
}

void WorkAhead::add_trial(std::int64_t stage, std::int64_t trial) {
  const std::int64_t first = plan_.iterations_of_trial(stage, trial).begin;
  if (found_.insert(first).second) not_added_.insert(first);
}

void WorkAhead::add_new_trials() {
  for (std::int64_t number = stages_.plan().stage_count(); number < plan_.stage_count(); ++number) {
    const Stage& stage = plan_.stage(number);
    for (const IndexRange& trials : stage.trials)
      for (std::int64_t trial = trials.begin; trial < trials.end; ++trial)
        if (stage.begins(trial)) add_trial(number, trial);
  }
}

void WorkAhead::find_certain_trials() {
  const auto start = Clock::now();
  for (const IndexRange& trials : stages_.certain())
    for (std::int64_t trial = trials.begin; trial < trials.end; ++trial) add_trial(stages_.plan().stage_count(), trial);
  decided_at_ = heard_;
  const auto pause = std::chrono::duration<double>(seconds_since(start) / decision_share);
  next_decision_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
}

bool allows_work_ahead(const SearchStages& stages, PartitionKind partition, bool trains_together, bool is_array_task,
                       std::int64_t lanes) {
  if (!is_dynamic(partition) || trains_together || is_array_task || lanes == 1) return false;
  std::int64_t possible = 0;
  for (const Stage& stage : stages.possible_stages()) possible += stage.iteration_count();
  return possible > 0 && std::max(possible, stages.last_iterations().count()) <= max_ranked &&
         possible <= max_iterations - stages.plan().iteration_count();
}

}  // namespace sheaf
