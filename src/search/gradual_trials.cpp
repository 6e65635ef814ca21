// SPDX-License-Identifier: MIT
#include "search/gradual_trials.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "core/random/random_stream.hpp"
#include "study/key_defaults.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Adds an iteration to the last range, or as a new one.
void append(std::vector<IndexRange>& ranges, std::int64_t iteration) {
  if (!ranges.empty() && ranges.back().end == iteration)
    ++ranges.back().end;
  else
    ranges.push_back({iteration, iteration + 1});
}

// A random order of 0..count-1.
std::vector<std::int64_t> shuffled(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(seed, Purpose::race_order, 0);
  for (std::size_t last = order.size(); last > 1; --last) std::swap(order[last - 1], order[stream.below(last)]);
  return order;
}

}  // namespace

// The results of the members in one fold of one repeat.
struct GradualTrials::Fit {
  bool is_released = false;
  std::vector<KnownResult> members{};  // of all members; `missing` until they have arrived
  std::int64_t arrived = 0;
};

// The best complete trial.
struct GradualTrials::Incumbent {
  RankingCosts costs;
  double worst_fit;  // the largest first cost of a fit
};

struct GradualTrials::OpenTrial {
  std::int64_t number = 0;
  std::vector<Fit> fits{};
  std::int64_t steps = 0;    // fits that were released
  std::int64_t waiting = 0;  // iterations that were released and have no result
  std::shared_ptr<const Incumbent> incumbent{};
  bool has_ended = false;
  bool is_pruned = false;

  // Of the fits that have ended: means, and the worst fit with a defined score.
  RankingCosts costs{};
  double worst_fit = 0, sum = 0;  // of first costs
  std::int64_t defined = 0;       // fits with a defined score

  void evaluate(const Ranking& ranking);
  double refit_seconds(bool to_best) const;
};

// Sums in the order of the fits, because the order of arrival must not affect the last digits.
void GradualTrials::OpenTrial::evaluate(const Ranking& ranking) {
  double scores = 0, validation_losses = 0, final_losses = 0;
  std::int64_t results = 0, defined_scores = 0;
  worst_fit = -infinity;
  sum = 0;
  defined = 0;
  for (const Fit& fit : fits) {
    if (!fit.is_released || fit.arrived == 0) continue;
    double fit_score = 0, fit_loss = 0, fit_final = 0;
    std::int64_t fit_defined = 0;
    for (const KnownResult& result : fit.members) {
      const bool is_bad = !has_model(result.status);
      fit_loss += is_bad ? infinity : result.validation_loss;
      fit_final += is_bad ? infinity : result.final_loss;
      if (!is_bad && std::isnan(result.validation_score) && std::isfinite(result.validation_loss)) continue;
      ++fit_defined;
      fit_score += is_bad ? infinity : result.validation_score;
    }
    const auto members = static_cast<double>(fit.arrived);
    if (fit_defined > 0) {
      const double cost =
          costs_of(ranking, fit_score / static_cast<double>(fit_defined), fit_loss / members, fit_final / members)[0];
      worst_fit = std::max(worst_fit, cost);
      sum += cost;
      ++defined;
    }
    scores += fit_score;
    validation_losses += fit_loss;
    final_losses += fit_final;
    results += fit.arrived;
    defined_scores += fit_defined;
  }
  const auto count = static_cast<double>(results);
  const double score = defined_scores > 0 ? scores / static_cast<double>(defined_scores) : infinity;
  costs = costs_of(ranking, score, validation_losses / count, final_losses / count);
}

// The mean over the fits of the time that the refit takes on as many rows.
double GradualTrials::OpenTrial::refit_seconds(bool to_best) const {
  double seconds = 0;
  for (const Fit& fit : fits)
    for (const KnownResult& member : fit.members) seconds += to_best ? member.seconds_to_best : member.seconds;
  return seconds / static_cast<double>(fits.size());
}

GradualRules gradual_rules(const Study& study) {
  const SearchOptions& search = study.search;
  GradualRules rules;
  constexpr std::int64_t enough_for_all_lanes = 65536;
  rules.batch = search.depends_on_results() ? batch_of(study) : enough_for_all_lanes;
  if (study.search.folds * study.search.repeats > 1) rules.racing = search.racing;
  if (rules.racing != Racing::none)
    rules.race_order = shuffled(study.study.iterations * search.repeats * search.folds, study.study.seed);
  rules.least_cost = least_cost(study);
  if (search.patience > 0) rules.patience = search.patience;
  rules.time = search.time;
  rules.refits = study.run.refit;
  rules.ranking = ranking_of(study);
  return rules;
}

GradualTrials::GradualTrials(Plan& plan, GradualRules rules, std::unique_ptr<TrialSampler> sampler)
    : plan_(plan),
      rules_(std::move(rules)),
      sampler_(std::move(sampler)),
      fits_(plan.repeats() * plan.folds()),
      incumbents_(plan.space_count()) {
  assert(plan.stage_count() == 1 && rules_.batch >= 1);
}

GradualTrials::~GradualTrials() = default;

void GradualTrials::add(std::int64_t iteration, const KnownResult& result) {
  const Iteration at = plan_.iteration(iteration);
  trials_with_results_ = std::max(trials_with_results_, at.trial + 1);
  const auto found = open_.find(at.trial);
  if (found == open_.end()) {
    if (at.trial >= begun_) early_.emplace(iteration, result);
    return;
  }
  OpenTrial& trial = found->second;
  Fit& fit = trial.fits[static_cast<std::size_t>(at.repeat * plan_.folds() + at.fold)];
  if (!fit.is_released) {
    early_.emplace(iteration, result);
    return;
  }
  KnownResult& known = fit.members[static_cast<std::size_t>(at.member)];
  if (known.status != IterationStatus::missing) return;
  known = result;
  ++fit.arrived;
  if (--trial.waiting == 0) go_on_with(trial);
}

void GradualTrials::go_on() {
  for (end_trials(); may_begin() && has_early_results(); end_trials()) begin_trial();
}

std::vector<IndexRange> GradualTrials::release(std::int64_t most, bool of_first_trial) {
  for (go_on(); may_begin() && waiting_count_ < most; go_on()) begin_trial();
  std::vector<IndexRange> released;
  while (most > 0 && !waiting_.empty()) {
    const auto [begin, end] = *waiting_.begin();
    if (of_first_trial && plan_.iteration(begin).trial != ended_) break;
    const IndexRange piece{begin, std::min(end, begin + most)};
    released.push_back(piece);
    most -= piece.count();
    waiting_count_ -= piece.count();
    waiting_.erase(waiting_.begin());
    if (piece.end < end) waiting_.emplace(piece.end, end);
  }
  return released;
}

std::vector<IndexRange> GradualTrials::take_pruned() {
  return std::exchange(pruned_, {});
}

bool GradualTrials::is_over() const {
  return ended_ == begun_ && !may_begin();
}

std::vector<IndexRange> GradualTrials::unfinished() const {
  std::vector<IndexRange> iterations;
  for (const auto& [number, trial] : open_) {
    const std::int64_t first = plan_.iterations_of_trial(0, number).begin;
    for (std::int64_t fit = 0; fit < fits_; ++fit) {
      const Fit& of = trial.fits[static_cast<std::size_t>(fit)];
      for (std::int64_t member = 0; member < plan_.members(); ++member)
        if (!trial.has_ended &&
            (!of.is_released || of.members[static_cast<std::size_t>(member)].status == IterationStatus::missing))
          append(iterations, first + fit * plan_.members() + member);
    }
  }
  return iterations;
}

// Whether there are results of trials that have not begun.
bool GradualTrials::has_early_results() const {
  return !early_.empty() && plan_.iteration(early_.rbegin()->first).trial >= begun_;
}

bool GradualTrials::may_begin() const {
  const std::int64_t last_seen = begun_ - rules_.batch;
  return begun_ < plan_.trial_count() && last_seen < ended_ && (!stopped_after_ || last_seen < *stopped_after_);
}

void GradualTrials::begin_trial() {
  // The sampler and the race see the trials up to begun_ - batch, although more may have ended.
  for (; added_ <= begun_ - rules_.batch; ++added_) {
    const EndedTrial& ended = outcomes_.front();
    if (sampler_) sampler_->add(ended.outcome);
    for (std::size_t space = plan_.space_of(added_); space < incumbents_.size(); ++space) {
      auto& best = incumbents_[space];
      if (!ended.outcome.is_pruned && (!best || ended.outcome.costs < best->costs) && plan_.space_has(space, added_))
        best = std::make_shared<Incumbent>(Incumbent{ended.outcome.costs, ended.worst_fit});
    }
    outcomes_.pop_front();
  }
  const std::int64_t number = begun_++;
  if (sampler_ && plan_.given(number).empty()) plan_.give(number, sampler_->draw(number));
  OpenTrial& trial = open_[number];
  trial.number = number;
  trial.fits.resize(static_cast<std::size_t>(fits_));
  trial.incumbent = incumbents_[plan_.space_of(number)];
  go_on_with(trial);
}

// Releases the next fits of a trial, or ends it.
void GradualTrials::go_on_with(OpenTrial& trial) {
  const IndexRange iterations = plan_.iterations_of_trial(0, trial.number);
  const bool races = rules_.racing != Racing::none;
  while (trial.waiting == 0) {
    if (trial.steps > 0) trial.evaluate(rules_.ranking);
    if (trial.steps == fits_ || (trial.steps > 0 && has_lost(trial))) {
      end_trial(trial, iterations);
      return;
    }
    const std::int64_t steps = races ? 1 : fits_;
    for (std::int64_t step = 0; step < steps; ++step, ++trial.steps) {
      const auto order = static_cast<std::size_t>(trial.steps);
      const std::int64_t fit = races ? rules_.race_order[order] : trial.steps;
      release_fit(trial, fit, iterations.begin + fit * plan_.members());
    }
  }
}

void GradualTrials::release_fit(OpenTrial& trial, std::int64_t number, std::int64_t first) {
  Fit& fit = trial.fits[static_cast<std::size_t>(number)];
  fit.is_released = true;
  fit.members.resize(static_cast<std::size_t>(plan_.members()));
  std::vector<IndexRange> released;
  for (std::int64_t member = 0; member < plan_.members(); ++member) {
    const auto found = early_.find(first + member);
    if (found == early_.end()) {
      append(released, first + member);
      continue;
    }
    fit.members[static_cast<std::size_t>(member)] = found->second;
    ++fit.arrived;
    early_.erase(found);
  }
  for (const IndexRange& range : released) {
    waiting_.emplace(range.begin, range.end);
    waiting_count_ += range.count();
    trial.waiting += range.count();
  }
}

// Whether the rest of the trial's fits need not be trained.
bool GradualTrials::has_lost(const OpenTrial& trial) const {
  if (rules_.racing == Racing::none) return false;
  const std::int64_t next = rules_.race_order[static_cast<std::size_t>(trial.steps)] * plan_.members();
  const auto recorded = early_.find(plan_.iterations_of_trial(0, trial.number).begin + next);
  if (recorded != early_.end() && recorded->second.status == IterationStatus::pruned) return true;
  if (!trial.incumbent || trial.defined == 0) return false;
  const auto defined = static_cast<double>(trial.defined);
  if (rules_.racing == Racing::forgiving) return !(trial.sum / defined < trial.incumbent->worst_fit);
  const auto left = static_cast<double>(fits_ - trial.steps);
  return (trial.sum + left * *rules_.least_cost) / (defined + left) > trial.incumbent->costs[0];
}

void GradualTrials::end_trial(OpenTrial& trial, const IndexRange& iterations) {
  trial.has_ended = true;
  trial.is_pruned = trial.steps < fits_;
  has_complete_trial_ = has_complete_trial_ || !trial.is_pruned;
  if (!trial.is_pruned) {
    if (rules_.refits)
      refit_time_.add(trial.costs, trial.refit_seconds(plan_.trial(trial.number).train.best_weights.value_or(false)));
    return;
  }
  for (std::int64_t fit = 0; fit < fits_; ++fit) {
    if (trial.fits[static_cast<std::size_t>(fit)].is_released) continue;
    const std::int64_t first = iterations.begin + fit * plan_.members();
    for (std::int64_t iteration = first; iteration < first + plan_.members(); ++iteration)
      if (early_.erase(iteration) == 0) append(pruned_, iteration);
  }
}

// Counts the trials that have ended and all of whose predecessors have.
void GradualTrials::end_trials() {
  for (auto next = open_.begin(); next != open_.end() && next->second.has_ended; next = open_.erase(next), ++ended_) {
    const OpenTrial& trial = next->second;
    outcomes_.push_back({{trial.is_pruned, trial.steps, trial.costs}, trial.worst_fit});
    if (!rules_.patience || stopped_after_) continue;
    const std::size_t last_space = plan_.space_count() - 1;
    const std::int64_t before = plan_.trials_of_space(last_space).begin - 1;
    if (!trial.is_pruned && (best_ < 0 || trial.costs < best_costs_) && plan_.space_has(last_space, trial.number)) {
      best_ = trial.number;
      best_costs_ = trial.costs;
    } else if (trial.number - std::max(best_, before) >= *rules_.patience) {
      stopped_after_ = trial.number;
    }
  }
}

}  // namespace sheaf
