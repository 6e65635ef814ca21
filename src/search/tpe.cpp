// SPDX-License-Identifier: MIT
#include "search/tpe.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>

#include "core/random/random_stream.hpp"
#include "study/range_value.hpp"

namespace sheaf {
namespace {

constexpr int candidate_count = 24;
constexpr double no_effect = std::numeric_limits<double>::quiet_NaN();

// The number of the best trials that are modeled.
std::int64_t below_count(std::int64_t finished) {
  return std::min<std::int64_t>((finished + 9) / 10, 25);
}

std::vector<double> best_point(const TpeModel& model, RandomStream& stream) {
  std::vector<double> best;
  double largest = 0;
  for (int candidate = 0; candidate < candidate_count; ++candidate) {
    std::vector<double> point = model.below.draw(stream);
    const double ratio = model.below.log_density(point) - model.above.log_density(point);
    if (candidate > 0 && !(ratio > largest)) continue;
    best = std::move(point);
    largest = ratio;
  }
  return best;
}

}  // namespace

Tpe::Tpe(const std::vector<SearchedKey>& keys, std::uint64_t seed)
    : keys_(keys), axes_(keys.begin(), keys.end()), seed_(seed), positions_(keys.size()), ascending_(keys.size()) {
  assert(!keys.empty());
}

double Tpe::position(std::size_t key, const std::string& value) const {
  if (!axes_[key].is_list()) return axes_[key].position(range_number(value));
  const auto& candidates = keys_[key].candidates;
  const auto found = std::find(candidates.begin(), candidates.end(), value);
  assert(found != candidates.end());
  return static_cast<double>(found - candidates.begin());
}

std::string Tpe::value(std::size_t key, double position) const {
  const SearchedKey& searched = keys_[key];
  if (axes_[key].is_list()) return searched.candidates[static_cast<std::size_t>(position)];
  return range_value(searched.sampling, searched.candidates.front(), searched.candidates.back(),
                     axes_[key].value(position));
}

bool Tpe::ranks_before(std::int32_t a, std::int32_t b) const {
  const auto rank = [&](std::int32_t trial) {
    const TpeResult& result = results_[static_cast<std::size_t>(trial)];
    return std::make_tuple(result.pruned_after.has_value(), -result.pruned_after.value_or(0), result.cost, trial);
  };
  return rank(a) < rank(b);
}

// Each group is divided into the keys that have an effect and those that do not. Keys with their first effect are a new
// group.
void Tpe::divide_groups(const TrialValues& values) {
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> is_grouped(keys_.size());
  const auto add = [&](std::vector<std::size_t> group) {
    if (!group.empty()) groups.push_back(std::move(group));
  };
  for (const auto& group : groups_) {
    std::vector<std::size_t> with, without;
    for (const std::size_t key : group) {
      (values[key] ? with : without).push_back(key);
      is_grouped[key] = true;
    }
    add(std::move(with));
    add(std::move(without));
  }
  std::vector<std::size_t> first;
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (values[key] && !is_grouped[key]) first.push_back(key);
  add(std::move(first));
  groups_ = std::move(groups);
}

void Tpe::add(const TrialValues& values, const TpeResult& result) {
  assert(values.size() == keys_.size());
  const auto trial = static_cast<std::int32_t>(finished_count_++);
  results_.push_back(result);
  if (!std::isfinite(result.cost)) results_.back().cost = std::numeric_limits<double>::infinity();
  const auto ranks_before = [this](std::int32_t a, std::int32_t b) { return this->ranks_before(a, b); };
  ranking_.insert(std::upper_bound(ranking_.begin(), ranking_.end(), trial, ranks_before), trial);
  divide_groups(values);
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    Positions& positions = positions_[key];
    positions.push_back(values[key] ? position(key, *values[key]) : no_effect);
    if (!values[key] || axes_[key].is_list()) continue;
    const auto is_lower = [&](double lower, std::int32_t other) {
      return lower < positions[static_cast<std::size_t>(other)];
    };
    Trials& ascending = ascending_[key];
    ascending.insert(std::upper_bound(ascending.begin(), ascending.end(), positions.back(), is_lower), trial);
  }
}

std::vector<TpeModel> Tpe::models(const std::vector<TrialValues>& pending) const {
  std::vector<Positions> positions = positions_;
  for (const TrialValues& values : pending) {
    assert(values.size() == keys_.size());
    for (std::size_t key = 0; key < keys_.size(); ++key)
      positions[key].push_back(values[key] ? position(key, *values[key]) : no_effect);
  }
  std::vector<bool> is_below(positions.front().size());
  for (std::int64_t rank = 0; rank < below_count(finished_count_); ++rank)
    is_below[static_cast<std::size_t>(ranking_[static_cast<std::size_t>(rank)])] = true;
  std::vector<std::vector<std::size_t>> groups = groups_;
  std::vector<bool> is_grouped(keys_.size());
  for (const auto& group : groups_)
    for (const std::size_t key : group) is_grouped[key] = true;
  for (std::size_t key = 0; key < keys_.size(); ++key)
    if (!is_grouped[key]) groups.push_back({key});
  std::sort(groups.begin(), groups.end());
  std::vector<TpeModel> models;
  models.reserve(groups.size());
  for (const auto& group : groups) models.push_back(model_of(group, positions, is_below));
  return models;
}

TpeModel Tpe::model_of(const std::vector<std::size_t>& group, const std::vector<Positions>& positions,
                       const std::vector<bool>& is_below) const {
  const std::size_t trials = is_below.size();
  // The trials of the group are numbered by age, those below and those above for themselves.
  constexpr std::int32_t none = -1;
  std::vector<std::int32_t> numbers(trials, none);
  std::int32_t below = 0, above = 0;
  for (std::size_t trial = 0; trial < trials; ++trial)
    if (std::none_of(group.begin(), group.end(), [&](auto key) { return std::isnan(positions[key][trial]); }))
      numbers[trial] = is_below[trial] ? below++ : above++;
  std::vector<SearchAxis> axes;
  std::vector<AxisObservations> below_observations, above_observations;
  for (const std::size_t key : group) {
    axes.push_back(axes_[key]);
    AxisObservations& good = below_observations.emplace_back();
    AxisObservations& bad = above_observations.emplace_back();
    const Positions& of_key = positions[key];
    for (std::size_t trial = 0; trial < trials; ++trial)
      if (numbers[trial] != none) (is_below[trial] ? good : bad).positions.push_back(of_key[trial]);
    if (axes_[key].is_list()) continue;
    const auto is_lower = [&](std::int32_t a, std::int32_t b) {
      return of_key[static_cast<std::size_t>(a)] < of_key[static_cast<std::size_t>(b)];
    };
    Trials pending, ascending;
    for (auto trial = static_cast<std::size_t>(finished_count_); trial < trials; ++trial)
      if (numbers[trial] != none) pending.push_back(static_cast<std::int32_t>(trial));
    std::stable_sort(pending.begin(), pending.end(), is_lower);
    std::merge(ascending_[key].begin(), ascending_[key].end(), pending.begin(), pending.end(),
               std::back_inserter(ascending), is_lower);
    for (const std::int32_t each : ascending) {
      const auto trial = static_cast<std::size_t>(each);
      if (numbers[trial] != none) (is_below[trial] ? good : bad).ascending.push_back(numbers[trial]);
    }
  }
  return {group, ParzenEstimator(axes, below_observations), ParzenEstimator(axes, above_observations)};
}

std::vector<std::string> Tpe::draw(std::int64_t trial, const std::vector<TrialValues>& pending) const {
  assert(finished_count_ >= startup_trials);
  RandomStream stream(seed_, Purpose::tpe_candidates, static_cast<std::uint64_t>(trial));
  std::vector<std::string> values(keys_.size());
  for (const TpeModel& model : models(pending)) {
    const std::vector<double> point = best_point(model, stream);
    for (std::size_t axis = 0; axis < point.size(); ++axis)
      values[model.keys[axis]] = value(model.keys[axis], point[axis]);
  }
  return values;
}

}  // namespace sheaf
