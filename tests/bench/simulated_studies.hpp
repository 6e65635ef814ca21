// The searches whose idle lanes are measured. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/simulated_search.hpp"
#include "core/random/random_stream.hpp"
#include "support/regression_study.hpp"

namespace sheaf::bench {

struct SimulatedStudy {
  const char* name;
  SearchMethod method;
  Racing racing = Racing::none;
  std::int64_t trials = 0;          ///< 0: as the method says
  std::int64_t batch_per_lane = 0;  ///< search.batch; 0: the default
};

inline std::vector<SimulatedStudy> simulated_studies() {
  constexpr std::int64_t trials = 320;
  return {{"random", SearchMethod::random, Racing::none, trials},
          {"random, forgiving", SearchMethod::random, Racing::forgiving, trials},
          {"tpe", SearchMethod::tpe, Racing::none, trials},
          {"tpe, batch = lanes", SearchMethod::tpe, Racing::none, trials, 1},
          {"tpe, forgiving", SearchMethod::tpe, Racing::forgiving, trials},
          {"tpe, forgiving, batch = 4 lanes", SearchMethod::tpe, Racing::forgiving, trials, 4},
          {"halving", SearchMethod::halving, Racing::none, trials},
          {"hyperband", SearchMethod::hyperband}};
}

/// The study of a row: 81 epochs, 3 folds, factor 3.
inline Study study_of(const SimulatedStudy& row, std::int64_t lanes, std::uint64_t seed) {
  Study study = test::regression_study();
  study.study.seed = seed;
  study.train.epochs = 81;
  study.search.method = row.method;
  study.search.racing = row.racing;
  study.search.trials = row.trials;
  study.search.batch = row.batch_per_lane * lanes;
  study.search.folds = 3;
  study.search.keys = {{"train.learning_rate", {"1e-5", "1"}, Sampling::log_uniform},
                       {"train.momentum", {"0", "0.9"}, Sampling::uniform}};
  return study;
}

/// A loss that is a smooth function of the trial's learning rate, with noise.
inline KnownResult drawn_result(const Plan& plan, const Iteration& iteration) {
  RandomStream stream(iteration.seed, Purpose::dropout, static_cast<std::uint64_t>(iteration.stage));
  const double distance = std::log10(std::stod(plan.value(iteration.trial, 0))) + 2;
  const double loss = 1 + distance * distance + 0.3 * stream.normal();
  return {IterationStatus::finished, loss, loss, loss};
}

/// Means over seeds: the idle shares of the search and of list scheduling, and the part of the iterations that is
/// pruned.
struct IdleShares {
  std::int64_t trials = 0;
  double search = 0, list = 0, pruned = 0;
};

inline IdleShares mean_idle_shares(const SimulatedStudy& row, std::int64_t lanes, std::uint64_t seeds) {
  IdleShares means;
  const auto part = 1 / static_cast<double>(seeds);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Study study = study_of(row, lanes, seed);
    const SimulatedSearch search = simulate_search(study, lanes, drawn_result);
    means.trials = search.plan.trial_count();
    means.search += part * idle_share(search.iterations, search.seconds, lanes);
    means.list += part * idle_share(search.iterations, list_schedule_seconds(study, search, lanes), lanes);
    means.pruned += part * static_cast<double>(search.pruned) / static_cast<double>(search.plan.iteration_count());
  }
  return means;
}

}  // namespace sheaf::bench
