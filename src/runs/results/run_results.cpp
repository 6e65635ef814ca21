// SPDX-License-Identifier: MIT
#include "runs/results/run_results.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace sheaf {
namespace {

std::int64_t trials_in_stages(const Plan& plan) {
  std::int64_t trials = 0;
  for (std::int64_t stage = 0; stage < plan.search_stages(); ++stage)
    if (!plan.stage(stage).adds_repeats()) trials += plan.stage(stage).trial_count();
  return trials;
}

}  // namespace

void Spread::add(double value) {
  if (!std::isfinite(value)) return;
  ++count_;
  const double difference = value - mean_;
  mean_ += difference / static_cast<double>(count_);
  squares_ += difference * (value - mean_);
  minimum_ = std::fmin(minimum_, value);  // ignores NaN
  maximum_ = std::fmax(maximum_, value);
}

double Spread::mean() const {
  return count_ > 0 ? mean_ : minimum_;
}

double Spread::deviation() const {
  return count_ > 0 ? std::sqrt(squares_ / static_cast<double>(count_)) : minimum_;
}

std::int64_t RefitResults::iterations() const {
  return trials.back().iterations.end - trials.front().iterations.begin;
}

const RefitResult* RefitResults::of(std::int64_t trial) const {
  const auto found = std::find_if(trials.begin(), trials.end(),
                                  [trial](const RefitResult& result) { return result.refit.trial == trial; });
  return found == trials.end() ? nullptr : &*found;
}

std::int64_t RefitResults::finished() const {
  std::int64_t count = 0;
  for (const RefitResult& trial : trials) count += trial.finished;
  return count;
}

std::int64_t RunResults::search_iterations() const {
  return refit ? refit->trials.front().iterations.begin : iterations;
}

std::int64_t RunResults::trials_with_undefined_scores() const {
  return std::count_if(trials.begin(), trials.end(),
                       [](const TrialSummary& trial) { return trial.undefined_scores > 0; });
}

ResultTally::ResultTally(const Study& study, const Plan& plan, EngineOfTrial engine_of_trial,
                         Leaderboard::HasModels has_models)
    : study_(study),
      plan_(plan),
      engine_of_trial_(std::move(engine_of_trial)),
      leaderboard_(plan, ranking_of(study), trials_in_stages(plan), std::move(has_models)) {}

void ResultTally::add(const TrainedIteration& iteration, const EnsembleResult* ensemble) {
  const IterationResult& result = iteration.result;
  if (plan_.refit_iterations().has(result.iteration)) {
    add_refit(result);
  } else {
    leaderboard_.add(result, ensemble, iteration.metrics);
    if (ensemble != nullptr) results_.ensembles.push_back(*ensemble);
    if (!study_.search.searches()) add_values(iteration, ensemble);
  }
  ++results_.iterations;
  results_.diverged += result.status == IterationStatus::diverged ? 1 : 0;
  results_.pruned += result.status == IterationStatus::pruned ? 1 : 0;
  results_.unfinished += result.status == IterationStatus::unfinished ? 1 : 0;
  results_.cut += result.status == IterationStatus::cut ? 1 : 0;
  if (result.status == IterationStatus::failed && ++results_.failed == 1) {
    results_.first_failed = result.iteration;
    results_.first_failure = iteration.message;
  }
  if (result.engine != no_engine) add_engine(result);
  results_.seconds += result.seconds;
  results_.wait_seconds += result.wait_seconds;
}

void ResultTally::add_refit(const IterationResult& result) {
  const Iteration iteration = plan_.iteration(result.iteration);
  const Stage& stage = plan_.stage(iteration.stage);
  if (!results_.refit) results_.refit.emplace();
  auto& trials = results_.refit->trials;
  if (iteration.member == 0)
    trials.push_back(
        {*stage.refit_of(iteration.trial), plan_.iterations_of_trial(iteration.stage, iteration.trial), 0, 0});
  RefitResult& refit = trials.back();
  refit.finished += result.status == IterationStatus::finished ? 1 : 0;
  refit.final_loss += result.final_loss / static_cast<double>(stage.members);
}

void ResultTally::add_values(const TrainedIteration& iteration, const EnsembleResult* ensemble) {
  const IterationResult& result = iteration.result;
  std::vector<double> metrics(study_.run.metrics.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t number = 0; number < iteration.metrics.size(); ++number) metrics[number] = iteration.metrics[number];
  Spreads& spreads = results_.spreads;
  spreads.metrics.resize(metrics.size());
  if (has_model(result.status)) {
    spreads.final_loss.add(result.final_loss);
    spreads.validation_loss.add(result.validation_loss);
    spreads.validation_score.add(result.validation_score);
    for (std::size_t number = 0; number < metrics.size(); ++number) spreads.metrics[number].add(metrics[number]);
  }
  if (results_.iterations < max_listed)
    results_.final_values.push_back({result.final_loss, result.validation_loss, result.validation_score,
                                     std::move(metrics), result.epochs, result.best_epoch});
  if (ensemble != nullptr) spreads.ensemble_score.add(ensemble->score);
}

void ResultTally::add_engine(const IterationResult& result) {
  auto& engines = results_.engines;
  const bool on_gpu = result.gpu >= 0;
  auto use = std::find_if(engines.begin(), engines.end(),
                          [&](const EngineUse& e) { return e.name == result.engine && e.on_gpu == on_gpu; });
  if (use == engines.end()) use = engines.insert(engines.end(), {result.engine, on_gpu, 0, {}});
  ++use->iterations;
  if (const std::int64_t trial = plan_.iteration(result.iteration).trial; trial != trial_) {
    if (trial_ < 0 || !plan_.have_same_network(trial, trial_)) engine_ = engine_of_trial_(plan_.trial(trial));
    trial_ = trial;
  }
  const ChosenEngine& chosen = on_gpu ? engine_.on_gpu : engine_.on_cores;
  if (!chosen.reason || chosen.name != result.engine) return;
  auto& reasons = use->reasons;
  if (std::find(reasons.begin(), reasons.end(), *chosen.reason) == reasons.end()) reasons.push_back(*chosen.reason);
}

RunResults ResultTally::finish() {
  assert(results_.iterations > 0 && results_.iterations <= plan_.iteration_count());
  std::sort(results_.engines.begin(), results_.engines.end(), [](const EngineUse& one, const EngineUse& other) {
    return std::make_pair(one.name.view(), !one.on_gpu) < std::make_pair(other.name.view(), !other.on_gpu);
  });
  results_.trials = leaderboard_.ranked();
  results_.best_model = leaderboard_.best_model(results_.trials.front().trial);
  return std::move(results_);
}

}  // namespace sheaf
