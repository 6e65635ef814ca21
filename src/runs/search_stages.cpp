// SPDX-License-Identifier: MIT
#include "runs/search_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace sheaf {

std::int64_t SearchStages::max_iterations() const {
  return more_may_come() ? sheaf::max_iterations : plan_.iteration_count();
}

std::string SearchStages::last_stage_text() const {
  return searcher_.max_stages() > 1 ? fmt::format(" of stage {}", plan_.stage_count() - 1) : "";
}

bool SearchStages::choose_next() {
  if (!more_may_come()) return false;
  auto stage = searcher_.next(known_);
  if (!stage) return false;
  plan_.add(std::move(*stage));
  return true;
}

bool SearchStages::catch_up(const ResultStore& results) {
  do {
    const IndexRange iterations = last_iterations();
    if (results.count_results(iterations) < iterations.count()) return false;
    if (!more_may_come()) return true;
    const IndexRange positions = results.positions_of(iterations);
    for (std::int64_t position = positions.begin; position < positions.end; ++position)
      add(results[static_cast<std::size_t>(position)].trained.result);
  } while (choose_next());
  return true;
}

namespace {

// Whether a recorded stage is the beginning of the planned one: before a run grows, it has fewer trials, or fewer
// repeats of its only trial.
bool begins(RecordedStage recorded, const RecordedStage& planned) {
  Stage& stage = recorded.stage;
  const std::int64_t last = planned.stage.trials.back().end;
  if (stage.trials.back().end < last) stage.trials.back().end = last;
  if (planned.stage.trial_count() == 1) stage.repeats = std::max(stage.repeats, planned.stage.repeats);
  if (stage.repeats > planned.stage.repeats) return false;
  return recorded == planned;
}

}  // namespace

void require_recorded_stages(const Plan& plan, const std::vector<RecordedStage>& recorded,
                             const std::string& directory) {
  for (const auto& found : recorded) {
    const std::int64_t number = found.stage.number;
    const bool fits = number < plan.stage_count()
                          ? begins(found, {plan.stage(number), plan.iterations_of(number).begin})
                          : found.first_iteration >= plan.iteration_count();
    require(fits,
            fmt::format("stage {} of '{}' began with other trials than the search chooses now (earlier results have "
                        "changed, or another program wrote them). Start a new run with another run.output.",
                        number, directory));
  }
}

}  // namespace sheaf
