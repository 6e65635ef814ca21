// SPDX-License-Identifier: MIT
#include "study/plan.hpp"

#include <fmt/format.h>

#include <cassert>

#include "core/error.hpp"
#include "core/random/random_stream.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// Every combination of candidates, the last key fastest.
std::vector<Trial> expand_trials(const Study& study) {
  std::int64_t count = 1;
  for (const auto& searched : study.search.keys) count *= static_cast<std::int64_t>(searched.candidates.size());
  std::vector<Trial> trials;
  trials.reserve(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number) {
    Study point = study;
    std::vector<std::string> values(study.search.keys.size());
    std::int64_t rest = number;
    for (std::size_t key = study.search.keys.size(); key-- > 0;) {
      const auto& candidates = study.search.keys[key].candidates;
      const auto choices = static_cast<std::int64_t>(candidates.size());
      values[key] = candidates[static_cast<std::size_t>(rest % choices)];
      rest /= choices;
      apply_setting(point, study.search.keys[key].key, values[key]);
    }
    trials.push_back({std::move(values), point.model, point.train});
  }
  return trials;
}

}  // namespace

Plan::Plan(const Study& study) : seed_(study.study.seed), folds_(study.search.folds), members_(study.ensemble.members) {
  double total = static_cast<double>(study.study.iterations) * static_cast<double>(study.search.repeats) *
                 static_cast<double>(folds_) * static_cast<double>(members_);
  for (const auto& searched : study.search.keys) {
    searched_keys_.push_back(searched.key);
    total *= static_cast<double>(searched.candidates.size());
  }
  if (total > static_cast<double>(most_iterations))
    throw UsageError(
        fmt::format("the study has {:.4g} iterations (more than {} cannot be numbered). Ask for fewer "
                    "iterations, candidates, folds, repeats or members.",
                    total, most_iterations));
  repeats_ = study.study.iterations * study.search.repeats;
  trials_ = expand_trials(study);
}

std::int64_t Plan::iteration_count() const {
  return static_cast<std::int64_t>(trials_.size()) * repeats_ * folds_ * members_;
}

Iteration Plan::iteration(std::int64_t number) const {
  assert(number >= 0 && number < iteration_count());
  Iteration iteration;
  iteration.number = number;
  iteration.member = number % members_;
  number /= members_;
  iteration.fold = number % folds_;
  number /= folds_;
  iteration.repeat = number % repeats_;
  iteration.trial = number / repeats_;
  iteration.seed = iteration_seed(seed_, iteration.number);
  return iteration;
}

std::int64_t Plan::number_of(std::int64_t trial, std::int64_t repeat, std::int64_t fold, std::int64_t member) const {
  return ((trial * repeats_ + repeat) * folds_ + fold) * members_ + member;
}

}  // namespace sheaf
