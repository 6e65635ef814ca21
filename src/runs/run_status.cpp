// SPDX-License-Identifier: MIT
#include "runs/run_status.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runs/journal/journal_files.hpp"
#include "search/iteration_value.hpp"

namespace sheaf {
namespace {

// Trials that are ranked together. Their summaries are in memory at the same time.
constexpr std::int64_t block_trials = std::int64_t{1} << 16;

// The trials of a stage that are in `block`.
template <class Use>
void for_each_trial(const Stage& stage, IndexRange block, const Use& use) {
  for (const IndexRange& range : stage.trials)
    for (std::int64_t trial = std::max(range.begin, block.begin); trial < std::min(range.end, block.end); ++trial)
      use(trial);
}

// Finds the best of the complete trials, and counts them.
class BestTrial {
 public:
  BestTrial(const RunState& run, RunStatus& status) : run_(run), status_(status) {}

  void find() {
    for (std::int64_t begin = 0; begin < run_.plan.trial_count(); begin += block_trials)
      add_block({begin, std::min(begin + block_trials, run_.plan.trial_count())});
  }

 private:
  void add_block(IndexRange block) {
    Leaderboard board(run_.plan, ranking_of(run_.study));
    for (std::int64_t stage = 0; stage < run_.plan.stage_count(); ++stage)
      for_each_trial(run_.plan.stage(stage), block, [&](std::int64_t trial) { add_trial(stage, trial, board); });
    std::vector<TrialSummary> trials = board.ranked();
    status_.complete_trials += static_cast<std::int64_t>(trials.size());
    if (!trials.empty() && (!status_.best || board.is_before(trials.front(), *status_.best)))
      status_.best = std::move(trials.front());
  }

  void add_trial(std::int64_t stage, std::int64_t trial, Leaderboard& board) const {
    const ResultStore& results = run_.progress.journals.iterations;
    const std::int64_t first = run_.plan.number_of({stage, trial, 0, 0, 0});
    const std::int64_t count = run_.plan.stage(stage).per_trial();
    const IndexRange positions = results.positions_of({first, first + count});
    if (positions.count() < count) return;
    for (std::int64_t position = positions.begin; position < positions.end; ++position) {
      const TrainedIteration trained = results[static_cast<std::size_t>(position)].trained;
      board.add(trained.result, nullptr, trained.metrics);
    }
  }

  const RunState& run_;
  RunStatus& status_;
};

// The time between the first start and the last end of the iterations of an attempt.
struct Period {
  double begin = std::numeric_limits<double>::infinity(), end = 0;

  void add(const IterationResult& result) {
    begin = std::min(begin, result.start_seconds);
    end = std::max(end, result.start_seconds + result.seconds);
  }
};

// Counts the results and finds the rates of all attempts.
void count_results(const RunState& run, RunStatus& status) {
  const Replay& journals = run.progress.journals;
  for (const auto& name : run.attempts) status.attempts.push_back({name, 0, std::nullopt});
  std::vector<std::size_t> attempt_of_file;
  for (const auto& file : journals.files) {
    const auto found = std::find(run.attempts.begin(), run.attempts.end(), attempt_of(file));
    attempt_of_file.push_back(static_cast<std::size_t>(found - run.attempts.begin()));
  }
  std::vector<Period> periods(status.attempts.size());
  IterationCounts& counts = status.iterations;
  counts.total = run.plan.iteration_count();
  const ProgressValue value = progress_value_of(run.study);
  status.best_cost = std::numeric_limits<double>::infinity();
  for (const JournaledIteration iteration : journals.iterations) {
    const IterationResult& result = iteration.trained.result;
    if (result.iteration >= counts.total) break;  // of a stage whose beginning is not known
    counts.finished += result.status == IterationStatus::finished ? 1 : 0;
    counts.diverged += result.status == IterationStatus::diverged ? 1 : 0;
    if (result.status == IterationStatus::failed && ++counts.failed == 1) {
      status.first_failed = result.iteration;
      status.first_failure = iteration.trained.message;
    }
    if (!iteration.has_result()) continue;
    if (const double cost = cost_of(value, result); cost < status.best_cost) {
      status.best_cost = cost;
      status.best_iteration = result.iteration;
    }
    const std::size_t attempt = attempt_of_file[iteration.file];
    ++status.attempts[attempt].results;
    periods[attempt].add(result);
  }
  for (std::size_t attempt = 0; attempt < periods.size(); ++attempt) {
    AttemptStatus& found = status.attempts[attempt];
    const double seconds = periods[attempt].end - periods[attempt].begin;
    if (found.results > 0 && seconds > 0) found.rate = static_cast<double>(found.results) / seconds;
  }
  status.repeated_results =
      journals.result_lines - journals.iterations.count_results({0, std::numeric_limits<std::int64_t>::max()});
}

// The tasks of an array have one attempt each; those at work are the last ones.
std::optional<double> find_rate(const RunState& run, const std::vector<AttemptStatus>& attempts) {
  const auto jobs = static_cast<std::int64_t>(run.jobs.jobs.size());
  const auto last = std::min(std::max<std::int64_t>(jobs, 1), static_cast<std::int64_t>(attempts.size()));
  std::optional<double> rate;
  for (auto attempt = attempts.end() - last; attempt != attempts.end(); ++attempt)
    if (attempt->rate) rate = rate.value_or(0) + *attempt->rate;
  return rate;
}

RunActivity find_activity(const RunState& run) {
  if (!run.jobs.jobs.empty()) return RunActivity::running;
  if (run.has_results && run.progress.is_complete) return RunActivity::finished;
  return run.jobs.is_known ? RunActivity::stopped : RunActivity::unknown;
}

// Iterations that go on from a checkpoint.
std::int64_t count_waiting(const RunState& run) {
  std::set<std::int64_t> waiting;
  for (const CheckpointName& checkpoint : run.checkpoints)
    if (run.progress.journals.iterations.count_results({checkpoint.iteration, checkpoint.iteration + 1}) == 0)
      waiting.insert(checkpoint.iteration);
  return static_cast<std::int64_t>(waiting.size());
}

}  // namespace

std::optional<double> RunStatus::seconds_left() const {
  if (!rate) return std::nullopt;
  return static_cast<double>(iterations.left()) / *rate;
}

RunStatus status_of(const RunState& run) {
  RunStatus status;
  status.activity = find_activity(run);
  count_results(run, status);
  BestTrial(run, status).find();
  status.rate = find_rate(run, status.attempts);
  status.waiting_checkpoints = count_waiting(run);
  return status;
}

}  // namespace sheaf
