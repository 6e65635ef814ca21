// SPDX-License-Identifier: MIT
#include "commands/train/training/left_out_lines.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "training/iteration_result.hpp"

namespace sheaf {
namespace {

void journal_left_out(std::int64_t iteration, IterationStatus status, JournalWriter& journal) {
  TrainedIteration left_out;
  left_out.result.iteration = iteration;
  left_out.result.status = status;
  left_out.result.rank = 0;
  journal.append(std::move(left_out));
}

}  // namespace

std::int64_t journal_pruned(GradualTrials& trials, JournalWriter& journal) {
  std::int64_t count = 0;
  for (const IndexRange& pruned : trials.take_pruned()) {
    for (std::int64_t iteration = pruned.begin; iteration < pruned.end; ++iteration)
      journal_left_out(iteration, IterationStatus::pruned, journal);
    count += pruned.count();
  }
  return count;
}

void journal_end_of_search(SearchStages& stages, JournalWriter& journal) {
  const GradualTrials& trials = *stages.gradual();
  const std::vector<IndexRange> unfinished = trials.unfinished();
  stages.end_gradual(std::min(trials.trials_with_results(), trials.begun()));
  const std::int64_t end = stages.plan().iteration_count();
  for (const IndexRange& range : unfinished)
    for (std::int64_t iteration = range.begin; iteration < std::min(range.end, end); ++iteration)
      journal_left_out(iteration, IterationStatus::unfinished, journal);
  journal.end_search({trials.rules().time, stages.plan().trial_count()});
}

}  // namespace sheaf
