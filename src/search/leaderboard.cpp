// SPDX-License-Identifier: MIT
#include "search/leaderboard.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>

#include "study/losses.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct Mean {
  double mean = not_a_number;
  double deviation = not_a_number;
};

Mean mean_of(const std::vector<double>& values) {
  if (values.empty()) return {};
  double sum = 0;
  for (double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / static_cast<double>(values.size()))};
}

// Whether the metric is not defined for the validation rows of a finished training, or of an ensemble.
bool is_undefined(bool finished, double score, double validation_loss) {
  return finished && std::isnan(score) && std::isfinite(validation_loss);
}

// Keeps the last stage of each trial, and sorts by trial.
void keep_last_stages(std::vector<TrialSummary>& trials) {
  std::stable_sort(trials.begin(), trials.end(),
                   [](const TrialSummary& a, const TrialSummary& b) { return a.trial < b.trial; });
  std::size_t count = 0;
  for (std::size_t next = 0; next < trials.size(); ++next) {
    if (count > 0 && trials[count - 1].trial == trials[next].trial) --count;
    trials[count++] = trials[next];
  }
  trials.resize(count);
}

}  // namespace

Leaderboard::Leaderboard(const Plan& plan, Ranking ranking, std::int64_t trials, HasModels has_models)
    : plan_(plan), ranking_(ranking), has_models_(std::move(has_models)) {
  trials_.reserve(static_cast<std::size_t>(trials));
}

void Leaderboard::add(const IterationResult& result, const EnsembleResult* ensemble,
                      const std::vector<double>& metrics) {
  const Iteration iteration = plan_.iteration(result.iteration);
  const Stage& stage = plan_.stage(iteration.stage);
  if (in_stage_ == 0) begin_trial(iteration);
  ++in_stage_;
  TrialSummary& summary = trial_.summary;
  ++summary.iterations;
  summary.finished += has_model(result.status) ? 1 : 0;
  summary.cut += result.status == IterationStatus::cut ? 1 : 0;
  summary.diverged += result.status == IterationStatus::diverged ? 1 : 0;
  summary.left_out += is_left_out(result.status) ? 1 : 0;
  summary.seconds += result.seconds;
  if (!is_left_out(result.status)) add_to_group(result, metrics);
  group_.finished = group_.finished && has_model(result.status);
  const std::int64_t next = result.iteration + 1;
  if (iteration.member + 1 == stage.members) end_group({next - stage.members, next}, ensemble);
  if (in_stage_ == stage.per_trial()) end_trial();
}

void Leaderboard::begin_trial(const Iteration& iteration) {
  if (plan_.stage(iteration.stage).adds_repeats()) {
    const auto found = continued_.find(iteration.trial);
    if (found != continued_.end()) {
      place_ = found->second.place;
      trial_ = std::move(found->second.results);
      continued_.erase(found);
    }
  }
  trial_.summary.stage = iteration.stage;
  trial_.summary.trial = iteration.trial;
}

void Leaderboard::add_to_group(const IterationResult& result, const std::vector<double>& metrics) {
  ++group_.results;
  trial_.validation_losses += result.validation_loss;
  trial_.final_losses += result.final_loss;
  if (is_undefined(has_model(result.status), result.validation_score, result.validation_loss))
    ++group_.undefined_scores;
  else
    group_.scores.push_back(result.validation_score);

  group_.metrics.resize(ranking_.metric_count);
  for (std::size_t number = 0; number < ranking_.metric_count; ++number)
    group_.metrics[number] += number < metrics.size() ? metrics[number] : not_a_number;
  group_.score += result.validation_score;
  group_.validation_loss += result.validation_loss;
  group_.final_loss += result.final_loss;
}

void Leaderboard::end_group(IndexRange members, const EnsembleResult* ensemble) {
  if (ensemble != nullptr) {  // the ensemble's score replaces the scores of its members
    group_.scores.clear();
    group_.undefined_scores = is_undefined(group_.finished, ensemble->score, group_.validation_loss) ? 1 : 0;
    if (group_.undefined_scores == 0) group_.scores.push_back(ensemble->score);
    group_.score = ensemble->score;
    add_metrics(ensemble->metrics, 1);
  } else if (group_.results < members.count() && members.count() > 1) {  // an ensemble that was not trained completely
    group_.scores.clear();
    group_.undefined_scores = 0;
  } else if (group_.results > 0) {
    add_metrics(group_.metrics, static_cast<double>(group_.results));
  }
  trial_.summary.undefined_scores += group_.undefined_scores;
  for (const double score : group_.scores) add_score(score);
  const Group group = std::exchange(group_, {});
  const RankingCosts costs = costs_of(ranking_, group.score, group.validation_loss, group.final_loss);
  if (!group.finished) return;
  const bool has_models = !has_models_ || has_models_(members);
  const bool is_better =
      trial_.best_model.empty() || (has_models == trial_.has_best_model ? costs < trial_.least : has_models);
  if (!is_better) return;
  trial_.best_model = members;
  trial_.has_best_model = has_models;
  trial_.least = costs;
}

// The scores of a trial with many repeats are stored only as long as they have a mean.
void Leaderboard::add_score(double score) {
  trial_.any_score_missing = trial_.any_score_missing || std::isnan(score);
  if (trial_.any_score_missing)
    trial_.scores.clear();
  else
    trial_.scores.push_back(score);
}

void Leaderboard::add_metrics(const std::vector<double>& sums, double results) {
  trial_.metric_sums.resize(ranking_.metric_count);
  for (std::size_t number = 0; number < ranking_.metric_count; ++number) trial_.metric_sums[number] += sums[number];
  trial_.metric_results += results;
}

void Leaderboard::end_trial() {
  TrialSummary& summary = trial_.summary;
  const auto count = static_cast<double>(summary.iterations - summary.left_out);
  const Mean score = trial_.any_score_missing ? Mean{} : mean_of(trial_.scores);
  summary.mean_score = score.mean;
  summary.score_deviation = score.deviation;
  summary.scores = static_cast<std::int64_t>(trial_.scores.size());
  summary.mean_validation_loss = trial_.validation_losses / count;
  summary.mean_final_loss = trial_.final_losses / count;
  summary.mean_metrics.clear();
  for (const double sum : trial_.metric_sums) summary.mean_metrics.push_back(sum / trial_.metric_results);
  const std::size_t place = place_.value_or(trials_.size());
  if (!place_) trials_.emplace_back();
  trials_[place] = {summary, trial_.best_model};
  const std::int64_t next = summary.stage + 1;
  if (next < plan_.search_stages() && plan_.stage(next).adds_repeats())
    continued_[summary.trial] = {place, std::move(trial_)};
  trial_ = {};
  in_stage_ = 0;
  place_.reset();
}

std::vector<TrialSummary> Leaderboard::ranked() const {
  std::vector<TrialSummary> trials;
  trials.reserve(trials_.size());
  for (const auto& trial : trials_) trials.push_back(trial.summary);
  if (plan_.search_stages() > 1) keep_last_stages(trials);
  // Sorts in place, because a stable sort copies half of the trials.
  std::sort(trials.begin(), trials.end(),
            [this](const TrialSummary& a, const TrialSummary& b) { return is_before(a, b); });
  for (std::size_t index = 0; index < trials.size(); ++index) trials[index].rank = static_cast<std::int64_t>(index) + 1;
  return trials;
}

bool Leaderboard::is_before(const TrialSummary& a, const TrialSummary& b) const {
  // Trials with equal scores are ordered by their losses only within one kind of loss.
  const auto costs = [this](const TrialSummary& trial) {
    const RankingCosts all = costs_of(ranking_, trial.mean_score, trial.mean_validation_loss, trial.mean_final_loss);
    const LossFunction loss = ranking_.one_loss ? LossFunction() : loss_function(plan_.trial(trial.trial).train);
    // Of a search with several stages; a training that diverged in a later one has reached nothing.
    const bool has_reached = plan_.stage(0).pauses() && trial.finished == trial.iterations;
    const auto reached =
        has_reached ? plan_.stage(trial.stage).to_epoch.value_or(std::numeric_limits<std::int64_t>::max()) : 0;
    return std::tuple(-reached, std::isinf(all.front()), trial.left_out > 0, all.front(), loss.kind, loss.delta, all);
  };
  const auto of_a = costs(a), of_b = costs(b);
  return of_a != of_b ? of_a < of_b : a.trial < b.trial;
}

IndexRange Leaderboard::best_model(std::int64_t trial) const {
  const auto last = std::find_if(trials_.rbegin(), trials_.rend(),
                                 [&](const StageOfTrial& stage) { return stage.summary.trial == trial; });
  assert(last != trials_.rend());
  return last->best_model;
}

}  // namespace sheaf
