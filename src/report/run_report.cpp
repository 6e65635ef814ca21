// SPDX-License-Identifier: MIT
#include "report/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "core/escaped.hpp"
#include "report/plot/thinning.hpp"
#include "report/shown_key.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/journal_files.hpp"
#include "search/key_importance.hpp"
#include "study/effect.hpp"
#include "study/search_spaces.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double value_of(const ProgressValue& value, const IterationResult& result) {
  const double cost = cost_of(value, result);
  if (std::isinf(cost)) return not_a_number;
  return value.larger_is_better ? -cost : cost;
}

std::vector<TimedResult> timed_results(const RunState& run) {
  const Replay& journals = run.progress.journals;
  std::vector<std::size_t> job_of_file;
  for (const auto& file : journals.files) {
    const auto found = std::find(run.attempts.begin(), run.attempts.end(), attempt_of(file));
    job_of_file.push_back(static_cast<std::size_t>(found - run.attempts.begin()));
  }
  std::vector<TimedResult> results;
  results.reserve(journals.iterations.size());
  for (const JournaledIteration iteration : journals.iterations) {
    if (iteration.trained.result.iteration >= run.plan.iteration_count()) break;  // of a stage that is not known
    results.push_back({job_of_file[iteration.file], iteration.trained.result});
  }
  return results;
}

// What is known of the jobs. Those at work are the last ones. The last job of a complete run was not killed, even if a
// version that did not record its end has trained it.
std::vector<JobRecord> job_records(const RunState& run, const RunStatus& status) {
  std::vector<JobRecord> records;
  for (std::size_t job = 0; job < run.attempts.size(); ++job) {
    JobRecord& record = records.emplace_back();
    const std::size_t later = run.attempts.size() - job - 1;
    const auto found = run.progress.journals.jobs.find(run.attempts[job]);
    if (found != run.progress.journals.jobs.end()) {
      const ReplayedJob& recorded = found->second;
      record.lanes = recorded.lanes;
      record.expected_seconds = recorded.expected_seconds;
      if (recorded.time) record.seconds = recorded.time->seconds;
      if (recorded.time && recorded.time->is_over) record.end = JobEnd::recorded;
    }
    if (later < run.jobs.jobs.size()) record.end = JobEnd::none;
    if (later == 0 && status.activity == RunActivity::finished) record.end = JobEnd::recorded;
  }
  return records;
}

// Of the lines of the journals that do not count, because their iterations have another one.
double repeated_seconds(const Replay& journals) {
  if (journals.iteration_lines == static_cast<std::int64_t>(journals.iterations.size())) return 0;
  double counted = 0;
  for (const JournaledIteration iteration : journals.iterations)
    counted += iteration.trained.result.end_seconds() - iteration.trained.result.start_seconds;
  return std::max(0.0, journals.line_seconds - counted);
}

using EnsembleKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // stage, trial, repeat, fold

std::map<EnsembleKey, const EnsembleResult*> ensembles_by_key(const StoredResults& stored) {
  std::map<EnsembleKey, const EnsembleResult*> ensembles;
  for (const EnsembleResult& ensemble : stored.ensembles)
    ensembles[{ensemble.stage, ensemble.trial, ensemble.repeat, ensemble.fold}] = &ensemble;
  return ensembles;
}

// Whether the score of an ensemble is one of a trial's.
bool is_of(const Plan& plan, const EnsembleResult& ensemble, const TrialSummary& trial) {
  return ensemble.trial == trial.trial && ensemble.stage <= trial.stage &&
         ensemble.stage >= plan.first_stage_of_repeats(trial.stage);
}

const Stage& last_stage(const Plan& plan) {
  return plan.stage(plan.stage_count() - 1);
}

// The results of the complete trials and of the refit, as at the end of a run.
std::optional<RunResults> results_of(const RunState& run, const StoredResults& stored) {
  std::vector<TrainedTrial> trials = trained_trials(run);
  if (trials.empty()) return std::nullopt;
  const IndexRange refit = run.plan.refit_iterations();
  if (stored.refit_rows && run.progress.journals.iterations.positions_of(refit).count() == refit.count())
    for (const Refit& trial : run.plan.has_refit() ? last_stage(run.plan).refits : std::vector<Refit>{})
      trials.push_back({last_stage(run.plan).number, trial.trial,
                        run.plan.iterations_of_trial(last_stage(run.plan).number, trial.trial)});
  const auto ensembles = ensembles_by_key(stored);
  const ResultStore& results = run.progress.journals.iterations;
  ResultTally tally(run.study, run.plan, [](const Trial&) { return TrialEngine{}; });
  for (const TrainedTrial& trial : trials) {
    const IndexRange positions = results.positions_of(trial.iterations);
    for (std::int64_t position = positions.begin; position < positions.end; ++position) {
      const TrainedIteration trained = results[static_cast<std::size_t>(position)].trained;
      const EnsembleResult* ensemble = nullptr;
      if (!ensembles.empty()) {
        const Iteration model = run.plan.iteration(trained.result.iteration);
        const auto found = ensembles.find({model.stage, model.trial, model.repeat, model.fold});
        if (found != ensembles.end() && model.member + 1 == run.plan.stage(model.stage).members)
          ensemble = found->second;
      }
      tally.add(trained, ensemble);
    }
  }
  RunResults found = tally.finish();
  if (found.refit) {
    found.refit->rows = *stored.refit_rows;
    if (!found.best_refit()) found.refit.reset();  // ensembles of members are ranked by scores that are not known here
  }
  found.trial_ensemble = run.ensemble;
  return found;
}

void find_trials(RunReport& report) {
  if (!report.results) return;
  const ResultStore& results = report.run.progress.journals.iterations;
  for (const TrialSummary& trial : report.results->trials) {
    const double value = value_of(report.value, trial);
    if (!std::isfinite(value)) continue;
    double end = 0;
    for (const IndexRange& fits : report.run.plan.fits_of_trial(trial.stage, trial.trial)) {
      const IndexRange positions = results.positions_of(fits);
      for (std::int64_t at = positions.begin; at < positions.end; ++at)
        end = std::max(end, report.timeline.ends[static_cast<std::size_t>(at)]);
    }
    report.objects.push_back({trial.trial, value, end});
  }
}

void find_iterations(RunReport& report, const std::vector<TimedResult>& results) {
  for (std::size_t at = 0; at < results.size(); ++at) {
    if (!report.run.plan.search_iterations().has(results[at].result.iteration)) continue;
    if (const double value = value_of(report.value, results[at].result); std::isfinite(value))
      report.objects.push_back({results[at].result.iteration, value, report.timeline.ends[at]});
  }
  std::stable_sort(report.objects.begin(), report.objects.end(), [&](const RankedObject& a, const RankedObject& b) {
    return report.value.larger_is_better ? a.value > b.value : a.value < b.value;
  });
}

// Sorts the objects, which are best first, by their ends.
void sort_by_end(RunReport& report) {
  std::vector<std::int64_t> by_end(report.objects.size());
  std::iota(by_end.begin(), by_end.end(), std::int64_t{0});
  std::stable_sort(by_end.begin(), by_end.end(), [&](std::int64_t a, std::int64_t b) {
    const RankedObject &one = report.objects[static_cast<std::size_t>(a)],
                       &other = report.objects[static_cast<std::size_t>(b)];
    return std::tie(one.end, one.number) < std::tie(other.end, other.number);
  });
  std::vector<RankedObject> sorted;
  report.best_order.resize(by_end.size());
  for (const std::int64_t rank : by_end) {
    report.best_order[static_cast<std::size_t>(rank)] = static_cast<std::int64_t>(sorted.size());
    sorted.push_back(report.objects[static_cast<std::size_t>(rank)]);
  }
  report.objects = std::move(sorted);
}

// Whether all combinations of lists were trained.
bool is_complete_grid(const RunReport& report) {
  const SearchOptions& search = report.run.study->search;
  return !has_ranges(search) && !search.draws_trials() && search.earlier.empty() &&
         static_cast<std::int64_t>(report.objects.size()) == report.run.plan.trial_count();
}

// The values of all searched keys in all objects.
void find_values(RunReport& report) {
  const Plan& plan = report.run.plan;
  for (const SearchedKey& searched : keys_of_all_spaces(report.run.study->search))
    report.keys.push_back({searched, 0, std::nullopt, {}});
  if (report.keys.empty()) return;
  for (auto& key : report.keys) key.values.reserve(report.objects.size());
  std::vector<std::string> values(report.keys.size());
  for (const RankedObject& object : report.objects) {
    for (std::size_t key = 0; key < values.size(); ++key) values[key] = plan.value(object.number, key);
    const std::vector<bool> effects = plan.effects(values);
    for (std::size_t key = 0; key < values.size(); ++key)
      report.keys[key].values.push_back(effects[key] ? std::optional(values[key]) : std::nullopt);
  }
  for (ReportedKey& key : report.keys) key.searched = shown_key(std::move(key.searched), key.values);
}

void find_importances(RunReport& report) {
  if (report.objects.size() < 2 || report.keys.empty()) return;
  std::vector<KeyCells> cells;
  for (const ReportedKey& key : report.keys) cells.push_back(cells_of(key.searched, key.values));
  // Trials that reached more epochs rank first, so the costs are the ranks.
  std::vector<double> ranks(report.objects.size()), values;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[static_cast<std::size_t>(report.best_order[rank])] = static_cast<double>(rank);
  for (const RankedObject& object : report.objects) values.push_back(object.value);
  const std::vector<double> importances = key_importances(cells, ranks);
  const std::vector<double> shares = variance_shares(cells, values);
  const bool has_shares = is_complete_grid(report);
  for (std::size_t key = 0; key < report.keys.size(); ++key) {
    report.keys[key].importance = importances[key];
    if (has_shares) report.keys[key].share = shares[key];
  }
}

// Sums of the losses after each epoch.
struct LossSums {
  double training = 0, validation = 0;
  std::int64_t trainings = 0, validations = 0;
};

LearningCurve curve_of(const RunReport& report, std::int64_t number, std::int64_t rank) {
  const Plan& plan = report.run.plan;
  const ResultStore& results = report.run.progress.journals.iterations;
  std::map<std::int64_t, LossSums> sums;  // by epoch
  const auto add = [&](IndexRange iterations) {
    const IndexRange positions = results.positions_of(iterations);
    for (std::int64_t at = positions.begin; at < positions.end; ++at)
      for (const EpochResult& epoch : results[static_cast<std::size_t>(at)].trained.epochs) {
        LossSums& sum = sums[epoch.epoch];
        if (std::isfinite(epoch.training_loss)) sum.training += epoch.training_loss, ++sum.trainings;
        if (std::isfinite(epoch.validation_loss)) sum.validation += epoch.validation_loss, ++sum.validations;
      }
  };
  if (report.is_search()) {
    for (std::int64_t stage = 0; stage < plan.search_stages(); ++stage)
      if (plan.stage(stage).has(number)) add(plan.iterations_of_trial(stage, number));
  } else {
    add({number, number + 1});
  }
  LearningCurve curve{number, rank, {}, {}, {}};
  const auto mean = [](double sum, std::int64_t count) {
    return count > 0 ? sum / static_cast<double>(count) : not_a_number;
  };
  for (const auto& [epoch, sum] : sums) {
    curve.epochs.push_back(static_cast<double>(epoch + 1));
    curve.training_loss.push_back(mean(sum.training, sum.trainings));
    curve.validation_loss.push_back(mean(sum.validation, sum.validations));
  }
  return curve;
}

void find_curves(RunReport& report) {
  constexpr std::size_t best_curves = 5, max_curves = 60;
  if (!report.run.study.curves()) return;
  const std::size_t count = report.best_order.size(), best = std::min(best_curves, count);
  std::vector<std::size_t> ranks(best);
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  for (const std::size_t other : spread_indices(count - best, max_curves - best_curves)) ranks.push_back(best + other);
  for (const std::size_t rank : ranks) {
    const RankedObject& object = report.objects[static_cast<std::size_t>(report.best_order[rank])];
    LearningCurve curve = curve_of(report, object.number, static_cast<std::int64_t>(rank) + 1);
    if (!curve.epochs.empty()) report.curves.push_back(std::move(curve));
  }
}

}  // namespace

double value_of(const ProgressValue& value, const TrialSummary& trial) {
  switch (value.source) {
    case ProgressValue::Source::final_loss:
      return trial.mean_final_loss;
    case ProgressValue::Source::validation_loss:
      return trial.mean_validation_loss;
    case ProgressValue::Source::score:
      break;
  }
  return trial.mean_score;
}

std::string value_text_of(const ProgressValue& value, double number) {
  if (!std::isfinite(number)) return "";
  return value.source == ProgressValue::Source::score ? fmt::format("{:.4f}", number) : fmt::format("{:.5g}", number);
}

std::vector<std::size_t> RunReport::importance_order() const {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [this](std::size_t a, std::size_t b) { return keys[a].importance > keys[b].importance; });
  return order;
}

std::vector<double> RunReport::fold_values(const TrialSummary& trial) const {
  std::vector<double> values;
  if (value.source == ProgressValue::Source::score && !stored.ensembles.empty()) {
    for (const EnsembleResult& ensemble : stored.ensembles)
      if (is_of(run.plan, ensemble, trial)) values.push_back(ensemble.score);
  } else {
    const ResultStore& store = run.progress.journals.iterations;
    const std::int64_t members = run.plan.stage(trial.stage).members;
    for (const IndexRange& fits : run.plan.fits_of_trial(trial.stage, trial.trial)) {
      const IndexRange positions = store.positions_of(fits);
      double sum = 0;
      for (std::int64_t at = positions.begin; at < positions.end; ++at) {
        sum += value_of(value, store[static_cast<std::size_t>(at)].trained.result);
        if ((at - positions.begin + 1) % members != 0) continue;
        values.push_back(sum / static_cast<double>(members));
        sum = 0;
      }
    }
  }
  values.erase(std::remove_if(values.begin(), values.end(), [](double number) { return !std::isfinite(number); }),
               values.end());
  return values;
}

std::optional<Study> RunReport::best_study() const {
  if (!is_search() || objects.empty()) return std::nullopt;
  const TrialSummary& trial = results->trials.front();
  Study study = run.study;
  const Trial best_trial = run.plan.trial(trial.trial);
  study.model = best_trial.model;
  study.train = best_trial.train;
  study.data.normalize = best_trial.normalize;
  study.train.epochs = run.plan.stage(trial.stage).epochs_of(trial.trial, best_trial.train.epochs).end;
  const SearchOptions& search = run.study->search;
  study.search = SearchOptions{};
  study.search.weighted = search.weighted;
  study.search.metric = search.metric;
  study.search.folds = search.folds;
  study.search.repeats = search.repeats;
  if (search.folds * search.repeats > 1) study.search.method = SearchMethod::grid;
  study.run.output = run.directory + "-best";
  for (const Setting& setting : settings_table())
    if (failed_condition(setting, study) != nullptr) apply_setting(study, setting.info.key, setting.info.default_value);
  return study;
}

std::string RunReport::repeat_text() const {
  const auto best = best_study();
  if (!best)
    return fmt::format("sheaf run {} {}", shell_word(latest_study_path(run.directory)),
                       shell_word("--run.output=" + run.directory + "-again"));
  const auto changed = changed_settings(*best);
  if (best->data.source == DataSource::file) {
    std::string command = "sheaf run " + shell_word(best->data.file);
    for (const auto& [key, text] : changed)
      if (key != "data.file") command += " " + shell_word(fmt::format("--{}={}", key, text));
    return command;
  }
  std::string file = "# Save this as best.cfg, then: sheaf run best.cfg", section;
  for (const auto& [key, text] : changed) {
    const auto dot = key.find('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      file += "\n[" + section + "]";
    }
    file += fmt::format("\n{} = {}", key.substr(dot + 1), text);
  }
  return file;
}

std::vector<std::string> RunReport::predict_commands() const {
  std::vector<std::string> commands;
  if (stored.models.size() < 2) return commands;
  for (const ModelsKind kind : stored.models)
    commands.push_back(
        fmt::format("sheaf predict {} NEW.csv OUT.csv --model={}", shell_word(run.directory), row_of(kind).name));
  return commands;
}

RunReport report_of(RunState run, StoredResults stored) {
  RunStatus status = status_of(run);
  auto results = results_of(run, stored);
  const ProgressValue value = progress_value_of(run.study);
  RunReport report{std::move(run), std::move(status), std::move(stored), value, std::move(results)};
  const std::vector<TimedResult> timed = timed_results(report.run);
  const CostFacts facts{job_records(report.run, report.status), report.run.study->run.threads,
                        repeated_seconds(report.run.progress.journals), report.stored.idle_share};
  report.timeline = timeline_of(timed, facts.jobs);
  report.cost = cost_of(timed, report.timeline, facts);
  if (report.is_search())
    find_trials(report);
  else
    find_iterations(report, timed);
  sort_by_end(report);
  find_values(report);
  find_importances(report);
  find_curves(report);
  return report;
}

}  // namespace sheaf
