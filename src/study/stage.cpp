// SPDX-License-Identifier: MIT
#include "study/stage.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sheaf {
namespace {

constexpr std::int64_t to_the_end = -1;
constexpr std::int64_t no_trial = -1;

}  // namespace

std::int64_t Stage::trial_count() const {
  std::int64_t count = 0;
  for (const IndexRange& range : trials) count += range.count();
  return count;
}

bool Stage::has(std::int64_t trial) const {
  const auto after =
      std::upper_bound(trials.begin(), trials.end(), trial,
                       [](std::int64_t wanted, const IndexRange& range) { return wanted < range.begin; });
  return after != trials.begin() && trial < (after - 1)->end;
}

void Stage::append(const IndexRange& more) {
  if (more.empty()) return;
  if (!trials.empty() && trials.back().end == more.begin)
    trials.back().end = more.end;
  else
    trials.push_back(more);
}

bool Stage::operator==(const Stage& other) const {
  return number == other.number && trials == other.trials && repeats == other.repeats && folds == other.folds &&
         members == other.members && from_epoch == other.from_epoch && to_epoch == other.to_epoch &&
         first_new_trial == other.first_new_trial && refits == other.refits;
}

std::optional<Refit> Stage::refit_of(std::int64_t trial) const {
  const auto found =
      std::find_if(refits.begin(), refits.end(), [trial](const Refit& refit) { return refit.trial == trial; });
  return found == refits.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::int64_t> packed(const std::vector<Stage>& stages) {
  std::vector<std::int64_t> numbers;
  for (const Stage& stage : stages) {
    numbers.insert(numbers.end(),
                   {stage.number, stage.repeats.begin, stage.repeats.end, stage.folds.begin, stage.folds.end,
                    stage.members, stage.from_epoch, stage.to_epoch.value_or(to_the_end),
                    stage.first_new_trial.value_or(no_trial), static_cast<std::int64_t>(stage.trials.size())});
    for (const IndexRange& range : stage.trials) numbers.insert(numbers.end(), {range.begin, range.end});
    numbers.push_back(static_cast<std::int64_t>(stage.refits.size()));
    for (const Refit& refit : stage.refits) {
      numbers.insert(numbers.end(), {refit.trial, refit.epochs, refit.epoch_steps,
                                     static_cast<std::int64_t>(refit.reductions.size())});
      numbers.insert(numbers.end(), refit.reductions.begin(), refit.reductions.end());
    }
  }
  return numbers;
}

std::vector<Stage> unpacked_stages(const std::vector<std::int64_t>& numbers) {
  std::vector<Stage> stages;
  for (std::size_t position = 0; position < numbers.size();) {
    const auto take = [&] { return numbers[position++]; };
    Stage stage;
    stage.number = take();
    stage.repeats.begin = take();
    stage.repeats.end = take();
    stage.folds.begin = take();
    stage.folds.end = take();
    stage.members = take();
    stage.from_epoch = take();
    if (const std::int64_t epoch = take(); epoch != to_the_end) stage.to_epoch = epoch;
    if (const std::int64_t trial = take(); trial != no_trial) stage.first_new_trial = trial;
    for (std::int64_t ranges = take(); ranges > 0; --ranges) {
      const std::int64_t begin = take();
      stage.trials.push_back({begin, take()});
    }
    for (std::int64_t refits = take(); refits > 0; --refits) {
      Refit& refit = stage.refits.emplace_back();
      for (std::int64_t* number : {&refit.trial, &refit.epochs, &refit.epoch_steps}) *number = take();
      for (std::int64_t reductions = take(); reductions > 0; --reductions) refit.reductions.push_back(take());
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace sheaf
