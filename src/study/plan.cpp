// SPDX-License-Identifier: MIT
#include "study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/error.hpp"
#include "core/random/random_stream.hpp"
#include "study/search_spaces.hpp"

namespace sheaf {
namespace {

// Takes a double because the product may exceed 64 bits.
void require_countable(double iterations) {
  if (iterations > static_cast<double>(max_iterations))
    throw UsageError(
        fmt::format("the study has {:.4g} iterations (the maximum is {}). Use fewer iterations, candidates, folds, "
                    "repeats or members.",
                    iterations, max_iterations));
}

// Boosted trees are trained on all rows in each round.
Trial trial_at(Study point, std::vector<std::string> values) {
  if (!is_network(point.model.kind)) point.train.batch_size = 0;
  return {std::move(values), std::move(point.model), std::move(point.train), point.data.normalize};
}

}  // namespace

bool decides_network(const std::string& key) {
  return key.rfind("model.", 0) == 0 || key == "train.precision";
}

Plan::Plan(const Study& study)
    : seed_(study.study.seed),
      trials_(0),
      repeats_(0),
      folds_(study.search.folds),
      members_(study.ensemble.members),
      wants_refit_(study.run.refit),
      space_(study) {
  require_countable(static_cast<double>(study.study.iterations) * static_cast<double>(study.search.repeats) *
                    static_cast<double>(space_.count()));
  trials_ = space_.count();
  repeats_ = study.study.iterations * study.search.repeats;
  for (const auto& searched : keys_of_all_spaces(study.search)) {
    searched_keys_.push_back(searched.key);
    candidates_.push_back(searched.candidates);
  }
  base_.model = study.model;
  base_.train = study.train;
  base_.data.normalize = study.data.normalize;
}

Trial Plan::trial(std::int64_t number) const {
  Study point = base_;
  auto values = space_.apply(number, point);
  return trial_at(std::move(point), std::move(values));
}

bool Plan::have_same_network(std::int64_t trial, std::int64_t other) const {
  for (std::size_t key = 0; key < searched_keys_.size(); ++key)
    if (decides_network(searched_keys_[key]) && value(trial, key) != value(other, key)) return false;
  return true;
}

void Plan::for_each_distinct(const KeyFilter& selects, const VisitDistinct& visit) const {
  for (std::size_t space = 0; space < space_count(); ++space) {
    const Combinations& combinations = space_.combinations(space);
    const std::int64_t trials = space_.trials_of(space).count();
    if (trials == 0) continue;
    const double trials_of_each =
        space_count() == 1 ? 1 : static_cast<double>(trials) / static_cast<double>(combinations.count());
    combinations.for_each_distinct(selects, [&](const std::vector<std::size_t>& choice, double count) {
      Study point = base_;
      combinations.apply(choice, point);
      std::vector<std::string> values;
      for (std::size_t key = 0; key < choice.size(); ++key) values.push_back(combinations.candidates(key)[choice[key]]);
      visit(trial_at(std::move(point), std::move(values)), count * trials_of_each);
    });
  }
}

void Plan::for_each_network(const VisitTrial& visit) const {
  for_each_distinct(decides_network, [&](const Trial& trial, double) { visit(trial); });
}

void Plan::add(Stage stage) {
  assert(stage.number == stage_count() && !stage.trials.empty() && stage.trials.back().end <= trial_count());
  assert(!has_refit() && stage.folds.begin >= 0 && stage.folds.end <= folds_ + (stage.is_refit() ? 1 : 0));
  assert(stage.repeats.end <= repeats_ && stage.members <= members_ && stage.per_trial() > 0);
  PlannedStage planned{std::move(stage), {}, {}};
  std::int64_t trials = 0;
  for (const IndexRange& range : planned.stage.trials) {
    planned.offsets.push_back(trials);
    trials += range.count();
  }
  const std::int64_t first = iteration_count();
  const Stage& added = planned.stage;
  require_countable(static_cast<double>(first) +
                    static_cast<double>(trials) * static_cast<double>(added.repeats.count()) *
                        static_cast<double>(added.folds.count()) * static_cast<double>(added.members));
  planned.iterations = {first, first + trials * added.per_trial()};
  stages_.push_back(std::move(planned));
}

void Plan::end_after(std::int64_t trials) {
  assert(stage_count() == 1 && trials >= 1 && trials <= trials_);
  trials_ = trials;
  PlannedStage& planned = stages_.front();
  planned.stage.trials = {{0, trials}};
  planned.iterations.end = planned.iterations.begin + trials * planned.stage.per_trial();
}

std::int64_t Plan::begun_trials() const {
  std::int64_t end = 0;
  for (const PlannedStage& planned : stages_) end = std::max(end, planned.stage.trials.back().end);
  return end;
}

Iteration Plan::iteration(std::int64_t number) const {
  assert(number >= 0 && number < iteration_count());
  const auto after =
      std::upper_bound(stages_.begin(), stages_.end(), number,
                       [](std::int64_t wanted, const PlannedStage& s) { return wanted < s.iterations.begin; });
  const PlannedStage& planned = *(after - 1);
  const Stage& stage = planned.stage;
  std::int64_t position = number - planned.iterations.begin;
  const auto take = [&position](std::int64_t count) {
    const std::int64_t digit = position % count;
    position /= count;
    return digit;
  };
  Iteration iteration;
  iteration.number = number;
  iteration.stage = stage.number;
  iteration.member = take(stage.members);
  iteration.fold = stage.folds.begin + take(stage.folds.count());
  iteration.repeat = stage.repeats.begin + take(stage.repeats.count());
  const auto range =
      std::upper_bound(planned.offsets.begin(), planned.offsets.end(), position) - planned.offsets.begin() - 1;
  const auto index = static_cast<std::size_t>(range);
  iteration.trial = stage.trials[index].begin + position - planned.offsets[index];
  iteration.seed = iteration_seed(seed_, seed_counter(iteration));
  return iteration;
}

IndexRange Plan::iterations_of_trial(std::int64_t stage, std::int64_t trial) const {
  const std::int64_t first = number_of({stage, trial, at(stage).stage.repeats.begin, at(stage).stage.folds.begin, 0});
  return {first, first + at(stage).stage.per_trial()};
}

std::int64_t Plan::first_stage_of_repeats(std::int64_t stage) const {
  while (at(stage).stage.adds_repeats()) --stage;
  return stage;
}

std::vector<IndexRange> Plan::fits_of_trial(std::int64_t stage, std::int64_t trial) const {
  std::vector<IndexRange> fits;
  for (std::int64_t number = first_stage_of_repeats(stage); number <= stage; ++number)
    fits.push_back(iterations_of_trial(number, trial));
  return fits;
}

std::int64_t Plan::number_of(const IterationKey& key) const {
  const PlannedStage& planned = at(key.stage);
  const Stage& stage = planned.stage;
  const auto after =
      std::upper_bound(stage.trials.begin(), stage.trials.end(), key.trial,
                       [](std::int64_t wanted, const IndexRange& range) { return wanted < range.begin; });
  const auto index = static_cast<std::size_t>(after - stage.trials.begin() - 1);
  assert(key.trial < stage.trials[index].end && stage.repeats.has(key.repeat) && stage.folds.has(key.fold));
  const std::int64_t position = planned.offsets[index] + key.trial - stage.trials[index].begin;
  const std::int64_t repeat = key.repeat - stage.repeats.begin, fold = key.fold - stage.folds.begin;
  return planned.iterations.begin +
         ((position * stage.repeats.count() + repeat) * stage.folds.count() + fold) * stage.members + key.member;
}

std::optional<std::int64_t> Plan::last_iteration_of(const IterationKey& training) const {
  if (stages_.empty()) return std::nullopt;
  const Stage& last = stages_.back().stage;
  if (!last.has(training.trial) || !last.repeats.has(training.repeat) || !last.folds.has(training.fold) ||
      training.member >= last.members)
    return std::nullopt;
  return number_of({last.number, training.trial, training.repeat, training.fold, training.member});
}

Stage whole_stage(const Plan& plan) {
  Stage stage;
  stage.trials = {{0, plan.trial_count()}};
  stage.repeats = {0, plan.repeats()};
  stage.folds = {0, plan.folds()};
  stage.members = plan.members();
  return stage;
}

Stage refit_stage(const Plan& plan, std::vector<Refit> refits) {
  Stage stage;
  stage.number = plan.stage_count();
  for (const Refit& refit : refits) stage.append({refit.trial, refit.trial + 1});
  stage.folds = {plan.folds(), plan.folds() + 1};
  stage.members = plan.members();
  stage.refits = std::move(refits);
  return stage;
}

}  // namespace sheaf
