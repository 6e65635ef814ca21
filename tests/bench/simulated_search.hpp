// Searches on a simulated clock: the lanes of one node take the iterations that a search releases, with the decisions
// of the program and drawn durations. Messages and checkpoints take no time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "search/known_result.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf::bench {

/// An iteration and the time that it took.
struct TimedIteration {
  std::int64_t number = 0;
  double seconds = 0;
};

/// What a search has trained, and when it ended.
struct SimulatedSearch {
  Plan plan;
  std::vector<TimedIteration> iterations{};  ///< without pruned ones, in the order in which they ended
  std::int64_t pruned = 0;                   ///< iterations
  double seconds = 0;
};

/// The part of the lanes' time in which they wait. Pure.
double idle_share(const std::vector<TimedIteration>& iterations, double seconds, std::int64_t lanes);

/// The result of an iteration at the end of its stage. Pure.
using ResultOf = std::function<KnownResult(const Plan& plan, const Iteration& iteration)>;

/// A search in which an epoch of a training takes exp(0.5 z) seconds; z is drawn from the seed of the training.
/// `study`: settled.
SimulatedSearch simulate_search(const Study& study, std::int64_t lanes, const ResultOf& result_of);

/// The end of the same iterations under list scheduling: a lane that is free takes the first iteration of a list whose
/// predecessors have ended. Those of an iteration in a later stage are the iterations of its bracket in the stage
/// before; those of a trial that depends on results are all trials that are at least search.batch before it, and with
/// racing its earlier folds. The better of two lists: in the order of the plan, and by epochs, longest first. Source:
/// Graham, SIAM J. Appl. Math. 17 (1969). Pure.
double list_schedule_seconds(const Study& study, const SimulatedSearch& search, std::int64_t lanes);

}  // namespace sheaf::bench
