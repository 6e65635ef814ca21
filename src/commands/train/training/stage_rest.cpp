// SPDX-License-Identifier: MIT
#include "commands/train/training/stage_rest.hpp"

#include <string>
#include <utility>
#include <vector>

#include "commands/train/training/trial_values.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/journal/replay.hpp"
#include "study/stage.hpp"

namespace sheaf {
namespace {

// Ranks know the drawn values of those trials that they have trained.
void share_values_of_refits(Plan& plan, const Communicator& world) {
  if (!plan.draws_from_results()) return;
  std::vector<std::int64_t> trials;
  for (const Refit& refit : plan.stage(plan.stage_count() - 1).refits) trials.push_back(refit.trial);
  const std::string values = world.broadcast(world.is_root() ? packed_values(plan, trials) : std::string(), 0);
  if (!world.is_root()) give_packed_values(plan, values);
}

void share_trial_count(Plan& plan, const Communicator& world) {
  std::vector<std::int64_t> count = {plan.trial_count()};
  world.broadcast_vector(count);
  if (count.front() < plan.trial_count()) plan.end_after(count.front());
}

}  // namespace

void share_stages(Plan& plan, std::int64_t known, const Communicator& world) {
  std::vector<Stage> added;
  for (std::int64_t stage = known; world.is_root() && stage < plan.stage_count(); ++stage)
    added.push_back(plan.stage(stage));
  std::vector<std::int64_t> numbers = packed(added);
  world.broadcast_vector(numbers);
  if (!world.is_root())
    for (auto& stage : unpacked_stages(numbers)) plan.add(std::move(stage));
  if (plan.stage_count() > known && plan.has_refit()) share_values_of_refits(plan, world);
}

void share_read_stages(Plan& plan, bool is_gradual, std::int64_t known, const Communicator& world) {
  if (is_gradual) share_trial_count(plan, world);
  share_stages(plan, known, world);
}

bool choose_next_stage(SearchStages& stages, Plan& plan, const std::vector<RecordedStage>& recorded,
                       const std::string& directory, const Communicator& world) {
  const std::int64_t known = plan.stage_count();
  agree(world, [&] {
    if (world.is_root() && stages.choose_next()) require_recorded_stages(plan, recorded, directory);
  });
  share_stages(plan, known, world);
  return plan.stage_count() > known;
}

RemainingStage find_remaining(const OpenRun& run, const Plan& plan, const Communicator& world) {
  const IndexRange iterations = plan.iterations_of(plan.stage_count() - 1);
  std::vector<IndexRange> indices;
  std::vector<std::int64_t> left;
  if (world.is_root()) {
    for (const IndexRange& part : longest_first(plan)) {
      const auto left_of_part = iterations_left(run.earlier.iterations, part, run.slice);
      indices.insert(indices.end(), left_of_part.begin(), left_of_part.end());
    }
    left = {iterations.count() - run.earlier.iterations.count_results(iterations)};
  }
  world.broadcast_vector(indices);
  world.broadcast_vector(left);
  return {iterations, left.front(), RemainingIterations(std::move(indices), run.slice)};
}

RemainingStage find_remaining_trials(const SearchStages& stages, Plan& plan, const Communicator& world) {
  share_trial_count(plan, world);
  std::vector<std::int64_t> numbers;
  if (world.is_root()) numbers = {plan.search_iterations().end - stages.used_results()};
  world.broadcast_vector(numbers);
  const std::int64_t left = numbers.front();
  return {plan.iterations_of(0), left,
          RemainingIterations(left > 0 ? std::vector<IndexRange>{{0, left}} : std::vector<IndexRange>())};
}

RemainingStage find_current_stage(const OpenRun& run, const SearchStages& stages, bool is_gradual, Plan& plan,
                                  std::int64_t known, const Communicator& world) {
  share_read_stages(plan, is_gradual, known, world);
  return is_gradual && !plan.has_refit() ? find_remaining_trials(stages, plan, world)
                                         : find_remaining(run, plan, world);
}

}  // namespace sheaf
