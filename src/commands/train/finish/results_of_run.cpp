// SPDX-License-Identifier: MIT
#include "commands/train/finish/results_of_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <utility>

#include "commands/train/finish/ensemble_files.hpp"
#include "commands/train/finish/model_lists.hpp"
#include "commands/train/finish/no_finished_iteration.hpp"
#include "commands/train/finish/overtime.hpp"
#include "commands/train/finish/test_score.hpp"
#include "commands/train/training/predicted_rows.hpp"
#include "core/clock.hpp"
#include "core/log.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "data/split_sizes.hpp"
#include "files/directories.hpp"
#include "files/regular_file.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/job_output.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/run_description.hpp"
#include "runs/results/summary.hpp"

namespace sheaf {
namespace {

// Warns if the summary cannot be printed: the results are already in the run directory.
void print_summary(const std::string& text) {
  try {
    print_job_result(text, "The results are complete in the run directory.");
  } catch (const RunError& error) {
    warn_root(error.what());
  }
}

// From the environment, since the password database may be a remote service.
std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"})
    if (const char* name = std::getenv(variable); name != nullptr && *name != '\0') return name;
  return fmt::format("uid {}", ::geteuid());
}

// After an extension by more repeats, another trial may be the best one. With run.models = best, the end of the job
// before has kept only some of its models.
Leaderboard::HasModels models_that_are_left(const EndOfRun& end) {
  const Plan& plan = end.context.plan;
  const bool adds_repeats = plan.stage(plan.search_stages() - 1).adds_repeats();
  if (!adds_repeats || end.context.study.models() == ModelsSaved::none) return {};
  return [&models = end.models](IndexRange members) { return !find_missing_model(models, members); };
}

// Whether `path` is missing or was written by an earlier job.
bool is_own_readme(const std::string& path) {
  struct stat status {};
  const int descriptor = open_regular_file(path, status);
  if (descriptor < 0) return status.st_mode == 0 && errno == ENOENT;
  const std::string begin = readme_begin;
  const RegularFile file(path, descriptor);
  ::close(descriptor);
  return file.read(static_cast<std::int64_t>(begin.size())) == begin;
}

}  // namespace

void report_no_finished_iteration(const TrainingContext& context, const RunResults& results) {
  log_error(no_finished_iteration_text(context.study, results, largest_feature(context.data)).c_str());
}

ResultsOfRun::ResultsOfRun(const EndOfRun& end, const TableExtent& extent, std::int64_t streamed_bytes,
                           std::optional<double> idle_share, std::vector<std::string> files,
                           std::vector<DirectoryLock> locks)
    : end_(end),
      streamed_bytes_(streamed_bytes),
      idle_share_(idle_share),
      files_(std::move(files)),
      locks_(std::move(locks)),
      keeps_predictions_(end.context.study.predictions() == PredictionsKept::held_out),
      stream_(end.run.directory, end.context.study, end.context.plan, extent,
              keeps_predictions_ ? end.context.data : nullptr),
      ensembles_(end.context, files_),
      tally_(end.context.study, end.context.plan, end.engine_of_trial, models_that_are_left(end)) {
  if (end.context.study.ensemble() == EnsembleKind::greedy) selection_.emplace(end.context, files_);
}

void ResultsOfRun::take(const std::vector<GatheredResult>& window) {
  std::vector<TrainedIteration> iterations;
  iterations.reserve(window.size());
  for (const auto& result : window) {
    JournaledIteration iteration = result.unpack();
    const auto ensemble = ensembles_.add(iteration);
    tally_.add(iteration.trained, ensemble ? &*ensemble : nullptr);
    if (keeps_predictions_ && iteration.predictions.bytes > 0) {
      if (predicted_rows(end_.context, iteration) > 0)
        take_predictions(iteration);
      else
        ++without_predictions_;
    }
    iterations.push_back(std::move(iteration.trained));
  }
  stream_.append(iterations);
}

ExitCode ResultsOfRun::finish() {
  const SettledStudy& study = end_.context.study;
  RunResults results = tally_.finish();
  results.ranks = end_.ranks;
  results.streamed_bytes = streamed_bytes_;
  results.idle_share = idle_share_;
  results.provenance = end_.provenance();
  const bool left = results.failed > 0;
  results.data = end_.data;
  results.user = user_name();
  results.study_file = std::filesystem::path(latest_study_path(end_.run.directory)).filename().string();
  if (results.refit) results.refit->rows = refit_rows();
  remove_file(importance_path(end_.run.directory));  // it is that of earlier models
  if (study.models() != ModelsSaved::none) write_model_lists(end_.models, results);
  if (selection_) select_ensemble(results);
  if (has_test_rows(study->data)) test(results);
  if (study->ensemble.bootstrap) score_bags(results);
  describe(results);
  stream_.finish(results);
  forget_earlier_results(end_.run.directory);
  if (!left) {  // no other task of an array is at work
    remove_other_models(end_.models, results);
    remove_checkpoints(end_.run.directory);
    remove_unfinished_files(end_.run.directory);
  }
  locks_.clear();
  if (without_predictions_ > 0)
    warn_root(fmt::format("the predictions of {} are left out (they were made for other validation rows).",
                          counted(without_predictions_, "iteration")));
  const double seconds = seconds_since(end_.start);
  log_root(fmt::format("done in {}; results in '{}'", human_seconds(seconds), end_.run.directory));
  if (const auto sentence = overtime_text(study, seconds)) log_root(*sentence);
  if (!results.models().empty()) log_root(models_line(end_.run.directory, results));
  if (results.trial_ensemble)
    log_root(fmt::format("ensemble: {}; predict with: sheaf predict {} NEW.csv OUT.csv",
                         ensemble_path(end_.run.directory), end_.run.directory));
  if (!results.any_model()) report_no_finished_iteration(end_.context, results);
  print_summary(summary_text(study, end_.context.plan, results, output_width()));
  return left || !results.any_model() ? ExitCode::failed : ExitCode::done;
}

// The rows on which the refit trained.
std::int64_t ResultsOfRun::refit_rows() const {
  const TrainingContext& context = end_.context;
  if (context.splits == nullptr) return rows_without_test(context.study->data, context.study->data.rows);
  Split split;  // without its scaling
  context.splits->rows_of_split(0, context.plan.folds(), split);
  return split.training_rows.count();
}

// Selects the ensemble of trials and writes its files. There is none if it cannot be selected.
void ResultsOfRun::select_ensemble(RunResults& results) const {
  const auto start = Clock::now();
  results.trial_ensemble = selected_ensemble(results.trials);
  if (!results.trial_ensemble) return remove_ensemble_files(end_.run.directory);
  use_refits(end_.models, results.refit, *results.trial_ensemble);
  write_ensemble_files(end_.run.directory, *results.trial_ensemble);
  log_root(fmt::format("ensemble: {} of {} trials, selected in {}", results.trial_ensemble->members.size(),
                       results.trial_ensemble->candidates, human_seconds(seconds_since(start))));
}

// The other results are written even if this fails.
std::optional<TrialEnsemble> ResultsOfRun::selected_ensemble(const std::vector<TrialSummary>& trials) const try {
  // A search that was extended has only the models that were kept when it ended before.
  std::int64_t without_models = 0;
  const auto are_saved = [&](IndexRange iterations) {
    const bool saved = !find_missing_model(end_.models, iterations);
    without_models += saved ? 0 : 1;
    return saved;
  };
  auto ensemble = selection_->select(trials, are_saved, threads());
  if (without_models > 0)
    warn_root(
        fmt::format("{} cannot be in the ensemble (their models are gone: with run.models = best, the end of a "
                    "search keeps those of the best trial and of the ensemble). Set run.models = all in a "
                    "search that you extend.",
                    counted(without_models, "good trial")));
  if (!ensemble) log_root("no ensemble of trials: none has finished in all folds, with its predictions and models");
  return ensemble;
} catch (const RunError& error) {
  warn_root(fmt::format("no ensemble of trials was selected. {}", error.what()));
  return std::nullopt;
}

// The results of the training are written even if the test fails.
void ResultsOfRun::test(RunResults& results) const try {
  if (results.models().empty())
    return warn_root(
        results.any_model()
            ? "the test rows were not evaluated (the best model was not saved). Set run.models = best in a new run."
            : "the test rows were not evaluated (no iteration has finished, so there is no best model).");
  results.test = test_models(end_.context, end_.file, predicting_iterations(results).begin, predicting_files(results));
  results.test->of_refit = results.predicts_with_refit();
  if (!results.trial_ensemble) return;
  WeightedFiles all = weighted_files(*results.trial_ensemble);
  for (auto& file : all.files) file = models_directory(end_.run.directory) + "/" + file;
  results.trial_ensemble->test = test_models(end_.context, end_.file, results.best_model.begin, all.files, all.weights);
} catch (const RunError& error) {
  warn_root(fmt::format("the test rows were not evaluated. {}", error.what()));
}

// The out-of-bag score of bagging. Models that a GPU has trained would take too long on the cores of this rank.
void ResultsOfRun::score_bags(RunResults& results) const try {
  const DataSet* const data = end_.context.data;
  const bool in_memory = data != nullptr && (data->features != nullptr || data->byte_features != nullptr);
  const bool on_cores =
      std::none_of(results.engines.begin(), results.engines.end(), [](const EngineUse& use) { return use.on_gpu; });
  if (!in_memory || !on_cores || results.models().empty()) return;
  results.out_of_bag =
      score_out_of_bag(end_.context, predicting_iterations(results), predicting_files(results), threads());
  if (results.out_of_bag) results.out_of_bag->of_refit = results.predicts_with_refit();
} catch (const RunError& error) {
  warn_root(fmt::format("there is no out-of-bag score. {}", error.what()));
} catch (const std::bad_alloc&) {
  warn_root("there is no out-of-bag score (memory has run out).");
}

// The iterations of the models with which the run predicts, without an ensemble of trials.
IndexRange ResultsOfRun::predicting_iterations(const RunResults& results) const {
  return results.predicts_with_refit() ? results.best_refit()->iterations : results.best_model;
}

std::vector<std::string> ResultsOfRun::predicting_files(const RunResults& results) const {
  std::vector<std::string> paths;
  for (const auto& model : results.models()) paths.push_back(end_.run.directory + "/" + model);
  return paths;
}

std::int64_t ResultsOfRun::threads() const {
  const RankInfo rank = end_.ranks[0];
  return std::max<std::int64_t>(1, rank.lanes * rank.threads);
}

void ResultsOfRun::take_predictions(const JournaledIteration& iteration) {
  if (selection_) selection_->add(iteration);
  const Iteration model = end_.context.plan.iteration(iteration.trained.result.iteration);
  stream_.append_predictions(model.number, read_predictions(files_, iteration),
                             end_.context.splits->split(model.repeat, model.fold)->validation_rows);
}

// Writes summary.json and README.txt. A README.txt of somebody else stays.
void ResultsOfRun::describe(const RunResults& results) const {
  const std::string& directory = end_.run.directory;
  const SettledStudy& study = end_.context.study;
  write_whole_file(directory + "/summary.json", summary_json(study, end_.context.plan, results));
  const std::string readme = directory + "/README.txt";
  if (!is_own_readme(readme))
    return warn_root(
        fmt::format("'{}' was not replaced (it is not from sheaf). Rename it, if you want a description "
                    "of the run there; summary.json has the same content.",
                    readme));
  write_whole_file(readme, readme_text(directory, study, end_.context.plan, results));
}

}  // namespace sheaf
