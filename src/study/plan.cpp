// SPDX-License-Identifier: MIT
#include "study/plan.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "core/error.hpp"
#include "core/random/random_stream.hpp"

namespace sheaf {

bool decides_network(const std::string& key) {
  return key.rfind("model.", 0) == 0 || key == "train.precision";
}

Plan::Plan(const Study& study)
    : seed_(study.study.seed), folds_(study.search.folds), members_(study.ensemble.members), combinations_(study) {
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
  base_.model = study.model;
  base_.train = study.train;
}

Trial Plan::trial(std::int64_t number) const {
  Study point = base_;
  combinations_.apply(number, point);
  Trial trial{{}, std::move(point.model), point.train};
  trial.values.reserve(searched_keys_.size());
  for (std::size_t key = 0; key < searched_keys_.size(); ++key) trial.values.push_back(value(number, key));
  return trial;
}

void Plan::for_each_distinct(const KeyFilter& counts, const VisitTrial& visit) const {
  combinations_.for_each_distinct(counts, [&](std::int64_t number) { visit(number, trial(number)); });
}

std::int64_t Plan::iteration_count() const {
  return trial_count() * repeats_ * folds_ * members_;
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
