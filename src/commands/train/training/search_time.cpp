// SPDX-License-Identifier: MIT
#include "commands/train/training/search_time.hpp"

#include <algorithm>
#include <vector>

#include "search/ensemble_candidates.hpp"
#include "search/greedy_ensemble.hpp"
#include "study/study.hpp"
#include "training/training_loop.hpp"

namespace sheaf {

RunningTime RunningTrainings::time(double seconds) const {
  std::vector<double> times;  // since the last training of each lane
  for (const auto& [lane, end] : ends_) times.push_back(seconds - std::min(end, seconds));
  times.resize(static_cast<std::size_t>(lanes_), seconds);
  std::sort(times.begin(), times.end());
  RunningTime time;
  time.count = std::min(lanes_, left_);
  for (std::int64_t number = 0; number < time.count; ++number) {
    time.longest = times[static_cast<std::size_t>(number)];
    time.total += time.longest;
  }
  return time;
}

bool SearchTime::is_up(const GradualTrials& trials, const RunningTrainings& running, double seconds) const {
  if (limit == 0) return false;
  const RunningTime running_time = cuts_trials ? running.time(seconds) : RunningTime{};
  const double after = seconds_after_search(trials.refit_time(), trials.begun(), running_time);
  return earlier_seconds + seconds + after >= limit;
}

double SearchTime::seconds_after_search(const RefitTime& refit_time, std::int64_t trials,
                                        const RunningTime& running) const {
  double seconds = 0;
  if (has_refit)
    seconds = refit_time.seconds(has_ensemble ? RefitTime::usual_members : 1, members, lanes, refit_rows, running);
  if (!has_ensemble) return seconds;
  const std::int64_t candidates = std::min(static_cast<std::int64_t>(max_ensemble_candidates), trials);
  const double selections = has_refit ? 2 : 1;  // the end of the run selects again
  return seconds + selections * expected_selection_seconds(task, held_out_rows, outputs, candidates, threads);
}

SearchTime search_time_of(const TrainingContext& context, double earlier_seconds, std::int64_t lanes,
                          std::int64_t threads) {
  const SettledStudy& study = context.study;
  SearchTime time;
  time.limit = static_cast<double>(study->search.time);
  time.earlier_seconds = earlier_seconds;
  time.lanes = lanes;
  time.threads = threads;
  time.members = context.plan.members();
  time.has_refit = context.plan.wants_refit();
  time.has_ensemble = study.ensemble() == EnsembleKind::greedy;
  time.cuts_trials = can_be_cut(study->train) && context.plan.stage(0).per_trial() == 1;
  if (time.limit == 0 || context.splits == nullptr) return time;
  time.task = context.data->task;
  time.outputs = context.data->output_count;
  Split fit, refit;  // without their scalings
  context.splits->rows_of_split(0, 0, fit);
  time.held_out_rows = fit.validation_rows.count() * context.plan.folds();
  if (!time.has_refit) return time;
  context.splits->rows_of_split(0, context.plan.folds(), refit);
  time.refit_rows = static_cast<double>(refit.training_rows.count()) / static_cast<double>(fit.training_rows.count());
  return time;
}

}  // namespace sheaf
