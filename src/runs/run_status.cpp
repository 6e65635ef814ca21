// SPDX-License-Identifier: MIT
#include "runs/run_status.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "runs/journal/journal_files.hpp"
#include "search/iteration_value.hpp"

namespace sheaf {
namespace {

// Trials that are ranked together. Their summaries are in memory at the same time.
constexpr std::size_t block_trials = std::size_t{1} << 16;

// The trials whose iterations have all finished, been cut, diverged or failed, each with the last stage of which this
// is true.
std::vector<TrainedTrial> complete_trials(const RunState& run) {
  std::vector<TrainedTrial> trials = trained_trials(run);
  if (run.plan.search_stages() == 1) return trials;
  std::stable_sort(trials.begin(), trials.end(),
                   [](const TrainedTrial& a, const TrainedTrial& b) { return a.trial < b.trial; });
  const auto is_same = [](const TrainedTrial& a, const TrainedTrial& b) { return a.trial == b.trial; };
  trials.erase(trials.begin(), std::unique(trials.rbegin(), trials.rend(), is_same).base());  // keeps the last stages
  return trials;
}

// The best of these trials, at most `count`.
std::vector<TrialSummary> best_of(const RunState& run, const std::vector<TrainedTrial>& trials, std::int64_t count) {
  const ResultStore& results = run.progress.journals.iterations;
  const auto most = static_cast<std::size_t>(count);
  std::vector<TrialSummary> best;
  for (std::size_t begin = 0; begin < trials.size(); begin += block_trials) {
    Leaderboard board(run.plan, ranking_of(run.study));
    for (std::size_t index = begin; index < std::min(begin + block_trials, trials.size()); ++index) {
      for (const IndexRange& fits : run.plan.fits_of_trial(trials[index].stage, trials[index].trial)) {
        const IndexRange positions = results.positions_of(fits);
        for (std::int64_t position = positions.begin; position < positions.end; ++position) {
          const TrainedIteration trained = results[static_cast<std::size_t>(position)].trained;
          board.add(trained.result, nullptr, trained.metrics);
        }
      }
    }
    std::vector<TrialSummary> ranked = board.ranked();
    ranked.resize(std::min(ranked.size(), most));
    best.insert(best.end(), std::make_move_iterator(ranked.begin()), std::make_move_iterator(ranked.end()));
    std::stable_sort(best.begin(), best.end(),
                     [&](const TrialSummary& a, const TrialSummary& b) { return board.is_before(a, b); });
    best.resize(std::min(best.size(), most));
  }
  return best;
}

// Finds the best of the complete trials, and counts them.
void find_best_trial(const RunState& run, RunStatus& status) {
  const std::vector<TrainedTrial> trials = complete_trials(run);
  status.complete_trials = static_cast<std::int64_t>(trials.size());
  for (TrialSummary& best : best_of(run, trials, 1)) status.best = std::move(best);
}

// The time between the first start and the last end of the iterations of an attempt.
struct Period {
  double begin = std::numeric_limits<double>::infinity(), end = 0;

  void add(const IterationResult& result) {
    begin = std::min(begin, result.start_seconds);
    end = std::max(end, result.end_seconds());
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
    counts.unfinished += result.status == IterationStatus::unfinished ? 1 : 0;
    counts.cut += result.status == IterationStatus::cut ? 1 : 0;
    counts.pruned += result.status == IterationStatus::pruned ? 1 : 0;
    if (result.status == IterationStatus::failed && ++counts.failed == 1) {
      status.first_failed = result.iteration;
      status.first_failure = iteration.trained.message;
    }
    if (!iteration.has_result()) continue;
    const bool is_refit = run.plan.refit_iterations().has(result.iteration);
    if (const double cost = cost_of(value, result); cost < status.best_cost && !is_refit) {
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
  for (const CheckpointName& checkpoint : run.checkpoints) {
    const auto iteration = run.plan.last_iteration_of(checkpoint.training);
    if (iteration && run.progress.journals.iterations.count_results({*iteration, *iteration + 1}) == 0)
      waiting.insert(*iteration);
  }
  return static_cast<std::int64_t>(waiting.size());
}

}  // namespace

std::optional<double> RunStatus::seconds_left() const {
  if (!rate) return std::nullopt;
  return static_cast<double>(iterations.left()) / *rate;
}

std::vector<TrainedTrial> trained_trials(const RunState& run) {
  const ResultStore& results = run.progress.journals.iterations;
  std::vector<TrainedTrial> trials;
  const auto total = results.positions_of(run.plan.search_iterations()).end;
  for (std::int64_t position = 0; position < total;) {
    const Iteration iteration = run.plan.iteration(results.packed(static_cast<std::size_t>(position)).iteration());
    const IndexRange iterations = run.plan.iterations_of_trial(iteration.stage, iteration.trial);
    const IndexRange found = results.positions_of(iterations);
    const auto is_unfinished = [&](std::int64_t at) {
      return results[static_cast<std::size_t>(at)].trained.result.status == IterationStatus::unfinished;
    };
    bool is_complete = found.count() == iterations.count();
    for (std::int64_t at = found.begin; at < found.end && is_complete; ++at) is_complete = !is_unfinished(at);
    if (is_complete) trials.push_back({iteration.stage, iteration.trial, iterations});
    position = found.end;
  }
  return trials;
}

RunStatus status_of(const RunState& run) {
  RunStatus status;
  status.activity = find_activity(run);
  count_results(run, status);
  find_best_trial(run, status);
  status.rate = find_rate(run, status.attempts);
  status.waiting_checkpoints = count_waiting(run);
  return status;
}

std::vector<TrialSummary> best_trials(const RunState& run, std::int64_t count) {
  return best_of(run, complete_trials(run), count);
}

}  // namespace sheaf
