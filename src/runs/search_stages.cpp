// SPDX-License-Identifier: MIT
#include "runs/search_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {

std::int64_t SearchStages::max_iterations() const {
  return more_may_come() ? sheaf::max_iterations : plan_.iteration_count();
}

bool SearchStages::next_adds_repeats() const {
  if (!more_may_come()) return false;
  return searcher_.sizes(plan_)[static_cast<std::size_t>(plan_.stage_count())].repeats.begin > 0;
}

std::string SearchStages::last_stage_text() const {
  if (plan_.has_refit()) return " of the refit";
  return searcher_.max_stages() > 1 ? fmt::format(" of stage {}", plan_.stage_count() - 1) : "";
}

std::vector<Stage> SearchStages::possible_stages() const {
  if (!more_may_come()) return {};
  const Stage& last = plan_.stage(plan_.stage_count() - 1);
  const std::vector<StageSize> sizes = searcher_.sizes(plan_);
  std::vector<Stage> stages;
  for (auto number = static_cast<std::size_t>(plan_.stage_count()); number < sizes.size(); ++number) {
    const auto& [new_trials, continued, from_epoch, to_epoch, repeats] = sizes[number];
    Stage stage = last;
    stage.number = static_cast<std::int64_t>(number);
    stage.from_epoch = from_epoch;
    stage.to_epoch = to_epoch;
    stage.repeats = repeats;
    if ((!stages.empty() || continued == 0) && !stage.adds_repeats()) stage.trials.clear();
    stage.append(new_trials);
    stage.first_new_trial = new_trials.empty() ? std::nullopt : std::optional(new_trials.begin);
    if (stage.trials.empty()) break;
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::string SearchStages::position_text() const {
  if (plan_.has_refit()) return "refit";
  const std::int64_t stages = searcher_.max_stages();
  return stages > 1 ? fmt::format("stage {} of 0..{}", plan_.stage_count() - 1, stages - 1) : "";
}

std::int64_t SearchStages::later_iterations() const {
  if (plan_.has_refit()) return 0;
  const std::vector<StageSize> sizes = searcher_.sizes(plan_);
  std::int64_t fits = 0;
  for (auto stage = static_cast<std::size_t>(plan_.stage_count()); stage < sizes.size(); ++stage)
    fits += sizes[stage].trials() * sizes[stage].repeats.count() * plan_.folds();
  return (fits + (plan_.wants_refit() ? 1 : 0)) * plan_.members();
}

bool SearchStages::choose_next() {
  if (!more_may_come()) return false;
  auto stage = searcher_.next(known_);
  if (!stage) return false;
  plan_.add(std::move(*stage));
  gradual_ = searcher_.gradual(plan_);
  return true;
}

void SearchStages::end_gradual(std::optional<std::int64_t> trials) {
  ended_after_ = trials;
  const std::int64_t end = trials.value_or(gradual_->begun());
  if (end < plan_.trial_count()) plan_.end_after(end);
}

std::int64_t SearchStages::used_results() const {
  std::int64_t count = 0;
  for (const IndexRange& range : used_)
    count += std::max<std::int64_t>(0, std::min(range.end, plan_.search_iterations().end) - range.begin);
  return count;
}

std::string SearchStages::end_text() const {
  if (!gradual_ || !is_over()) return "";
  const auto& patience_end = gradual_->stopped_after();
  if (ended_after_) return fmt::format("search.time ended the search after {}", counted(*ended_after_, "trial"));
  if (!patience_end) return "";
  return fmt::format("search.patience ended the search after {} (no trial up to number {} was better than number {})",
                     counted(plan_.trial_count(), "trial"), *patience_end, gradual_->best());
}

bool SearchStages::catch_up_gradual(const Replay& journals) {
  const ResultStore& results = journals.iterations;
  for (const auto& [iteration, values] : journals.values) {
    if (iteration >= plan_.iteration_count()) break;
    const std::int64_t trial = plan_.iteration(iteration).trial;
    const std::vector<std::string> known = plan_.given(trial);
    require(plan_.draws_from_results() && plan_.may_have(trial, values) && (known.empty() || known == values), [&] {
      return fmt::format(
          "the journals have values of trial {} that the search did not draw (another program wrote them, "
          "or files of several runs were mixed). Start a new run with another run.output.",
          trial);
    });
    if (known.empty()) plan_.give(trial, values);
  }
  used_.clear();
  const IndexRange positions = results.positions_of(last_iterations());
  const auto trial_at = [&](std::int64_t position) {
    return plan_.iteration(results.packed(static_cast<std::size_t>(position)).iteration()).trial;
  };
  // Later trials depend on those up to this one.
  const std::int64_t last_final = positions.empty() ? -1 : trial_at(positions.end - 1) - gradual_->rules().batch;
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const JournaledIteration found = results[static_cast<std::size_t>(position)];
    const std::int64_t iteration = found.trained.result.iteration;
    if (!found.has_result() && trial_at(position) > last_final) continue;
    gradual_->add(iteration, known_result(found.trained.result));
    if (used_.empty() || used_.back().end != iteration) used_.push_back({iteration, iteration});
    ++used_.back().end;
  }
  gradual_->go_on();
  const auto& end = journals.end;
  // The last results before the end may have been lost.
  const std::int64_t ended = end ? end->trials * plan_.stage(0).per_trial() : 0;
  const bool has_ended = end && end->time == gradual_->rules().time && end->trials <= plan_.trial_count() &&
                         results.count({0, ended}) == ended;
  if (!has_ended && !gradual_->is_over()) return false;
  end_gradual(has_ended ? std::optional(end->trials) : std::nullopt);
  if (has_ended) used_ = {last_iterations()};
  return true;
}

bool SearchStages::is_final(const IterationResult& result) const {
  if (result.status != IterationStatus::failed) return true;
  return gradual_ && plan_.iteration(result.iteration).trial < plan_.trial_count() - gradual_->rules().batch;
}

bool SearchStages::has_all_results(const ResultStore& results) const {
  const std::int64_t total = plan_.iteration_count();
  if (gradual_) return used_results() == total;
  return results.count_results({0, total}) == total;
}

namespace {

// Whether the plan may continue with a recorded refit. Another program may have written it.
bool may_follow(const Plan& plan, const RecordedStage& recorded) {
  const Stage& stage = recorded.stage;
  return recorded.first_iteration == plan.iteration_count() && stage.trials.back().end <= plan.trial_count() &&
         stage == refit_stage(plan, stage.refits);
}

}  // namespace

bool SearchStages::catch_up(Replay& journals) {
  if (!catch_up_search(journals)) return false;
  if (!plan_.wants_refit() || !has_all_results(journals.iterations)) return true;
  const auto found = std::find_if(journals.refits.begin(), journals.refits.end(),
                                  [this](const ReplayedRefit& refit) { return may_follow(plan_, refit.recorded); });
  awaits_refit_ = found == journals.refits.end();
  if (awaits_refit_) return true;
  plan_.add(found->recorded.stage);
  add_refit_results(journals, *found);
  return journals.iterations.count_results(last_iterations()) == last_iterations().count();
}

bool SearchStages::catch_up_search(const Replay& journals) {
  if (gradual_) return catch_up_gradual(journals);
  const ResultStore& results = journals.iterations;
  do {
    const IndexRange iterations = last_iterations();
    if (results.count_results(iterations) < iterations.count()) {
      // A job that resumes the run trains failed iterations again, unless added repeats have begun.
      const auto begun =
          std::find_if(journals.stages.begin(), journals.stages.end(),
                       [&](const RecordedStage& recorded) { return recorded.stage.number == plan_.stage_count(); });
      const bool goes_on =
          next_adds_repeats() && begun != journals.stages.end() && results.count(iterations) == iterations.count();
      if (!goes_on) return false;
    }
    if (!more_may_come()) return true;
    const IndexRange positions = results.positions_of(iterations);
    for (std::int64_t position = positions.begin; position < positions.end; ++position)
      add(results[static_cast<std::size_t>(position)].trained.result);
  } while (choose_next());
  return true;
}

namespace {

// Whether a recorded stage is the planned one. If the run has got another number of iterations since, the first stage
// has other numbers of trials, or of repeats of its only trial.
bool is_same(RecordedStage recorded, const RecordedStage& planned) {
  Stage& stage = recorded.stage;
  if (stage.number == 0) {
    IndexRange& trials = stage.trials.back();
    if (trials.begin < planned.stage.trials.back().end) trials.end = planned.stage.trials.back().end;
    if (planned.stage.trial_count() == 1) stage.repeats = planned.stage.repeats;
  }
  return recorded == planned;
}

}  // namespace

std::vector<IndexRange> longest_first(const Plan& plan) {
  const std::int64_t number = plan.stage_count() - 1;
  const Stage& stage = plan.stage(number);
  const IndexRange iterations = plan.iterations_of(number);
  if (!stage.first_new_trial || !stage.has(*stage.first_new_trial)) return {iterations};
  const std::int64_t first_new = plan.iterations_of_trial(number, *stage.first_new_trial).begin;
  std::vector<IndexRange> order = {{first_new, iterations.end}};
  if (first_new > iterations.begin) order.push_back({iterations.begin, first_new});
  return order;
}

void require_recorded_stages(const Plan& plan, const std::vector<RecordedStage>& recorded,
                             const std::string& directory) {
  for (const auto& found : recorded) {
    const std::int64_t number = found.stage.number;
    const bool fits = number < plan.stage_count()
                          ? is_same(found, {plan.stage(number), plan.iterations_of(number).begin})
                          : found.first_iteration >= plan.iteration_count();
    require(fits,
            fmt::format("stage {} of '{}' began with other trials than the search chooses now (earlier results have "
                        "changed, or another program wrote them). Start a new run with another run.output.",
                        number, directory));
  }
}

}  // namespace sheaf
