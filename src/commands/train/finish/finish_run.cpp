// SPDX-License-Identifier: MIT
#include "commands/train/finish/finish_run.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "commands/train/finish/ensemble_files.hpp"
#include "commands/train/finish/no_finished_iteration.hpp"
#include "commands/train/finish/test_score.hpp"
#include "commands/train/training/cut_off.hpp"
#include "commands/train/training/ensemble_score.hpp"
#include "commands/train/training/ensemble_selection.hpp"
#include "commands/train/training/final_gather.hpp"
#include "commands/train/training/predicted_rows.hpp"
#include "core/allocator.hpp"
#include "core/log.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "data/split_sizes.hpp"
#include "files/hdf5/handle.hpp"
#include "files/regular_file.hpp"
#include "files/replace_file.hpp"
#include "parallel/mpi/job_output.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/replay.hpp"
#include "runs/results/result_stream.hpp"
#include "runs/results/run_description.hpp"
#include "runs/results/summary.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {
namespace {

// The progress of the current stage, in iterations.
struct Counts {
  std::int64_t total = 0;       // in the job's slice
  std::int64_t left = 0;        // in the slice, without a result
  std::int64_t recorded = 0;    // in the slice, with a result or failed
  std::int64_t stage_left = 0;  // in the whole stage, without a result
};

// The progress of an array task, from the journals of all tasks.
Counts counts_of(const ResultStore& results, const ArraySlice& slice, IndexRange stage) {
  Counts counts{slice.count(stage), slice.count(stage), 0, stage.count()};
  const IndexRange positions = results.positions_of(stage);
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const PackedResult result = results.packed(static_cast<std::size_t>(position));
    const bool in_slice = slice.has(result.iteration()), has_result = result.has_result();
    counts.recorded += in_slice ? 1 : 0;
    counts.left -= in_slice && has_result ? 1 : 0;
    counts.stage_left -= has_result ? 1 : 0;
  }
  return counts;
}

// "; checkpoints of 2 unfinished iterations are saved"; empty if there are none, and if finished iterations have some.
std::string checkpoints_text(const OpenRun& run, const Plan& plan) {
  std::set<std::int64_t> iterations;
  if (plan.stage(plan.stage_count() - 1).pauses()) return "";
  for (const CheckpointName& name : list_checkpoints(run.directory)) {
    const auto iteration = plan.last_iteration_of(name.training);
    if (iteration && run.slice.has(*iteration)) iterations.insert(*iteration);
  }
  return iterations.empty()
             ? ""
             : fmt::format("; checkpoints of {} are saved",
                           counted(static_cast<std::int64_t>(iterations.size()), "unfinished iteration"));
}

// Reports an incomplete run and returns its exit code. Throws RunError if results are missing without a cause.
ExitCode report_incomplete(const EndOfRun& end, const std::string& stage, const Counts& counts) {
  const OpenRun& run = end.run;
  const StopCause cause = end.trained.cause;
  const ArraySlice& slice = run.slice;
  const std::int64_t done = counts.total - counts.left;
  const std::string task = slice.is_whole() ? "" : fmt::format("task {}/{}: ", slice.task, slice.tasks);
  const std::string resume = run.resume_command();
  const bool has_total = end.context.study.search.has_trial_count();
  const std::string total = counted(has_total ? counts.total : done, "iteration");
  if (cause != iteration_failed && counts.recorded == counts.total) {
    const bool refit_follows = end.stages.awaits_refit();
    const std::string next =
        resume_command_of(run.directory) + (slice.is_whole() || refit_follows ? "" : ", or submit the array again");
    log_root(counts.stage_left == 0 ? fmt::format("{}done; all iterations{} have results. Start the {} with: {}", task,
                                                  stage, refit_follows ? "refit" : "next stage", next)
                                    : fmt::format("{}done; other tasks still have to train {} of the study's {}{}",
                                                  task, counts.stage_left - counts.left,
                                                  counted(end.trained.last.iterations.count(), "iteration"), stage));
    return counts.left == 0 ? ExitCode::done : ExitCode::failed;
  }
  require(cause != no_stop,
          fmt::format("{} of {}{} of '{}' have results in the journal; the others were lost. Continue "
                      "with: {}",
                      done, total, stage, run.directory, resume));
  log_root(fmt::format("{}stopped after {}{}{}{} ({}). Continue with: {}", task,
                       has_total ? fmt::format("{} of ", done) : "", total, stage, checkpoints_text(run, end.plan),
                       stop_text(cause), resume));
  return cause == iteration_failed ? ExitCode::failed : ExitCode::stopped;
}

// Which results are written to the result files.
enum class ResultSource : std::int64_t {
  none,      // nothing to write: the run is incomplete, or has its result files
  on_ranks,  // results of this attempt are on all ranks, those of earlier attempts on rank 0
  on_root    // all results are on rank 0
};

// Whether all iterations of the plan diverged, by the results of earlier attempts.
bool all_diverged(const ResultStore& earlier, std::int64_t iterations) {
  const IndexRange positions = earlier.positions_of({0, iterations});
  if (positions.count() < iterations) return false;
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    if (earlier[static_cast<std::size_t>(position)].trained.result.status != IterationStatus::diverged) return false;
  return true;
}

void report_no_finished_iteration(const TrainingContext& context, const RunResults& results) {
  log_error(no_finished_iteration_text(context.study, results, largest_feature(context.data)).c_str());
}

// Decides which results are written, on rank 0. `trained`, `with_result`: iterations of this attempt in the last stage,
// on all ranks. Sets `code` if the source is none. Sets `all` if it is on_root, and may add later stages to the plan.
// `locks`: are held from the replay until the results are written, so that the last task writes the latest results.
ResultSource find_results(const EndOfRun& end, std::int64_t trained, std::int64_t with_result, ExitCode& code,
                          Replay& all, std::vector<DirectoryLock>& locks) {
  const OpenRun& run = end.run;
  const StopCause cause = end.trained.cause;
  const RemainingStage& last = end.trained.last;
  const RunReader reader(run.directory);
  const std::string stage = end.stages.last_stage_text();
  if (last.left == 0 && reader.has_results()) {
    log_root(
        fmt::format("'{}' is already complete ({})", run.directory, counted(end.plan.iteration_count(), "iteration")));
    if (const auto why = end.stages.end_text(); !why.empty()) log_root(why);
    RunResults results;
    results.iterations = results.diverged = end.plan.iteration_count();
    if (all_diverged(run.earlier.iterations, results.iterations)) {
      report_no_finished_iteration(end.context, results);
      code = ExitCode::failed;
    }
    return ResultSource::none;
  }
  if (run.slice.is_whole()) {
    if (trained == last.work.count() && cause != iteration_failed) return ResultSource::on_ranks;
    // Failed iterations of an earlier attempt count as results, even if this attempt has not tried them again.
    const std::int64_t total = last.iterations.count();
    const std::int64_t max_results = run.earlier.iterations.count(last.iterations) + trained;
    if (cause == iteration_failed || max_results < total) {
      const std::int64_t left = last.left - with_result;
      code = report_incomplete(end, stage, {total, left, total - left, left});
      return ResultSource::none;
    }
  }
  locks = lock_shared_files(run.directory, run.slice);
  constexpr bool forced = true;  // open_run() has checked the journals
  RunProgress progress = reader.progress(end.stages, run.header, forced);
  all = std::move(progress.journals);
  if (cause != iteration_failed && progress.is_complete) return ResultSource::on_root;
  locks.clear();
  code = report_incomplete(end, stage, counts_of(all.iterations, run.slice, last.iterations));
  return ResultSource::none;
}

void add_extent(TableExtent& extent, const TrainingContext& context, const ResultStore& results, IndexRange iterations,
                bool failed_count) {
  const IndexRange positions = results.positions_of(iterations);
  for (std::int64_t at = positions.begin; at < positions.end; ++at) {
    const auto position = static_cast<std::size_t>(at);
    if (!failed_count && !results.packed(position).has_result()) continue;
    const JournaledIteration result = results[position];
    extent.add(result.trained);
    extent.predicted_rows += predicted_rows(context, result);
  }
}

TableExtent extent_over_ranks(TableExtent extent, const Communicator& world, const WhileWaiting& waiting) {
  const auto sums = world.patient_sum({extent.epochs, extent.predicted_rows}, waiting);
  extent.epochs = sums[0];
  extent.predicted_rows = sums[1];
  for (auto& length : extent.longest_texts) length = world.patient_maximum(length, waiting);
  return extent;
}

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

// The share of the lanes' time in which they had no work; nothing if they have not trained.
std::optional<double> idle_share(std::int64_t total, std::int64_t busy) {
  if (total <= 0) return std::nullopt;
  return std::max(0.0, 1 - static_cast<double>(busy) / static_cast<double>(total));
}

// Writes the results of a complete run while its iterations arrive. For rank 0.
class ResultsOfRun {
 public:
  ResultsOfRun(const EndOfRun& end, const TableExtent& extent, std::int64_t streamed_bytes,
               std::optional<double> idle_share, std::vector<std::string> files, std::vector<DirectoryLock> locks)
      : end_(end),
        streamed_bytes_(streamed_bytes),
        idle_share_(idle_share),
        files_(std::move(files)),
        locks_(std::move(locks)),
        keeps_predictions_(end.context.study.run.predictions == PredictionsKept::held_out),
        stream_(end.run.directory, end.context.study, end.context.plan, extent,
                keeps_predictions_ ? end.context.data : nullptr),
        ensembles_(end.context, files_),
        tally_(end.context.study, end.context.plan, end.engine_of_trial) {
    if (end.context.study.search.ensemble == EnsembleKind::greedy) selection_.emplace(end.context, files_);
  }

  void take(const std::vector<GatheredResult>& window) {
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

  // Gives the files their names and prints the summary, after the last line of the log.
  ExitCode finish() {
    const Study& study = end_.context.study;
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
    if (study.run.models != ModelsSaved::none) write_model_lists(end_.models, results);
    if (selection_) select_ensemble(results);
    if (has_test_rows(study.data)) test(results);
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
    log_root(fmt::format("done in {}; results in '{}'", human_seconds(seconds_since(end_.start)), end_.run.directory));
    if (!results.models().empty()) log_root(models_line(end_.run.directory, results));
    if (results.trial_ensemble)
      log_root(fmt::format("ensemble: {}; sheaf predict uses it, and with --model={} the {}",
                           ensemble_path(end_.run.directory), results.predicts_with_refit() ? "refit" : "best",
                           results.predicts_with_refit() ? "refit" : "best model"));
    if (!results.any_finished()) report_no_finished_iteration(end_.context, results);
    print_summary(summary_text(study, end_.context.plan, results, output_width()));
    return left || !results.any_finished() ? ExitCode::failed : ExitCode::done;
  }

 private:
  // The rows on which the refit trained.
  std::int64_t refit_rows() const {
    const TrainingContext& context = end_.context;
    if (context.splits == nullptr) return rows_without_test(context.study.data, context.study.data.rows);
    Split split;  // without its scaling
    context.splits->rows_of_split(0, context.plan.folds(), split);
    return split.training_rows.count();
  }

  // Selects the ensemble of trials and writes its files. There is none if it cannot be selected.
  void select_ensemble(RunResults& results) const {
    const auto start = Clock::now();
    results.trial_ensemble = selected_ensemble(results.trials);
    if (!results.trial_ensemble) return remove_ensemble_files(end_.run.directory);
    use_refits(end_.models, results.refit, *results.trial_ensemble);
    write_ensemble_files(end_.run.directory, *results.trial_ensemble);
    log_root(fmt::format("ensemble: {} of {} trials, selected in {}", results.trial_ensemble->members.size(),
                         results.trial_ensemble->candidates, human_seconds(seconds_since(start))));
  }

  // The other results are written even if this fails.
  std::optional<TrialEnsemble> selected_ensemble(const std::vector<TrialSummary>& trials) const try {
    const RankInfo rank = end_.ranks[0];
    const std::int64_t threads = std::max<std::int64_t>(1, rank.lanes * rank.threads);
    // A search that was extended has only the models that were kept when it ended before.
    std::int64_t without_models = 0;
    const auto are_saved = [&](IndexRange iterations) {
      const bool saved = has_models(end_.models, iterations);
      without_models += saved ? 0 : 1;
      return saved;
    };
    auto ensemble = selection_->select(trials, are_saved, threads);
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
  void test(RunResults& results) const try {
    if (results.models().empty())
      return warn_root(
          results.any_finished()
              ? "the test rows were not evaluated (the best model was not saved). Set run.models = best in a new run."
              : "the test rows were not evaluated (no iteration has finished, so there is no best model).");
    std::vector<std::string> paths;
    for (const auto& model : results.models()) paths.push_back(end_.run.directory + "/" + model);
    const bool of_refit = results.predicts_with_refit();
    const IndexRange tested =
        of_refit ? results.refit->of(results.trials.front().trial)->iterations : results.best_model;
    results.test = test_models(end_.context, *end_.file, tested.begin, paths);
    results.test->of_refit = of_refit;
    if (!results.trial_ensemble) return;
    WeightedFiles all = weighted_files(*results.trial_ensemble);
    for (auto& file : all.files) file = models_directory(end_.run.directory) + "/" + file;
    results.trial_ensemble->test =
        test_models(end_.context, *end_.file, results.best_model.begin, all.files, all.weights);
  } catch (const RunError& error) {
    warn_root(fmt::format("the test rows were not evaluated. {}", error.what()));
  }

  void take_predictions(const JournaledIteration& iteration) {
    if (selection_) selection_->add(iteration);
    const Iteration model = end_.context.plan.iteration(iteration.trained.result.iteration);
    stream_.append_predictions(model.number, read_predictions(files_, iteration),
                               end_.context.splits->split(model.repeat, model.fold)->validation_rows);
  }

  // Writes summary.json and README.txt. A README.txt of somebody else stays.
  void describe(const RunResults& results) const {
    const std::string& directory = end_.run.directory;
    const Study& study = end_.context.study;
    write_whole_file(directory + "/summary.json", summary_json(study, end_.context.plan, results));
    const std::string readme = directory + "/README.txt";
    if (!is_own_readme(readme))
      return warn_root(
          fmt::format("'{}' was not replaced (it is not from sheaf). Rename it, if you want a description "
                      "of the run there; summary.json has the same content.",
                      readme));
    write_whole_file(readme, readme_text(directory, study, end_.context.plan, results));
  }

  const EndOfRun& end_;
  const std::int64_t streamed_bytes_;  // read by all ranks
  const std::optional<double> idle_share_;
  const std::vector<std::string> files_;
  std::vector<DirectoryLock> locks_;
  const bool keeps_predictions_;
  std::int64_t without_predictions_ = 0;  // iterations whose predictions do not fit the data
  ResultStream stream_;
  EnsembleScore ensembles_;
  ResultTally tally_;
  std::optional<EnsembleSelection> selection_;  // with search.ensemble = greedy
};

}  // namespace

ExitCode finish_run(const EndOfRun& end, const Communicator& world, const Communicator& node,
                    const Communicator& leaders) {
  const WhileWaiting waiting = network_limit(end.context.study.run, end.run.resume_command(), world, node);
  const GatherRoute route(world, node, leaders, waiting);
  const ResultStore& own = end.trained.results;
  const IndexRange stage = end.trained.last.iterations;
  const auto microseconds = [](double seconds) { return static_cast<std::int64_t>(1e6 * seconds); };
  const LaneSeconds& lanes = end.trained.lanes;
  const auto sums = world.patient_sum({own.count(stage), own.count_results(stage), end.streamed_bytes,
                                       microseconds(lanes.total), microseconds(lanes.busy)},
                                      waiting);
  const std::int64_t known_stages = end.plan.stage_count();
  auto code = ExitCode::done;
  auto source = ResultSource::none;
  Replay all;
  std::vector<DirectoryLock> locks;
  route.do_on_root([&] { source = find_results(end, sums[0], sums[1], code, all, locks); });
  source = static_cast<ResultSource>(world.patient_maximum(static_cast<std::int64_t>(source), waiting));
  const auto code_of_all = [&] {
    return static_cast<ExitCode>(world.patient_maximum(static_cast<std::int64_t>(code), waiting));
  };
  if (source == ResultSource::none) return code_of_all();
  share_stages(end.plan, known_stages, world);

  const bool on_ranks = source == ResultSource::on_ranks;
  const Replay& known = on_ranks ? end.run.earlier : all;
  TableExtent extent;
  const IndexRange all_iterations{0, end.plan.iteration_count()};
  if (on_ranks) add_extent(extent, end.context, own, all_iterations, true);
  add_extent(extent, end.context, known.iterations, all_iterations,
             !on_ranks || end.context.study.search.is_gradual());  // otherwise, this attempt tried failures again
  extent = extent_over_ranks(extent, world, waiting);

  std::unique_ptr<ResultsOfRun> results;
  silence_hdf5();  // initializes HDF5, which calls MPI; only this thread may do so
  route.do_on_root([&] {
    std::vector<std::string> files = known.files;
    files.insert(files.end(), end.trained.journals.begin(), end.trained.journals.end());
    results = std::make_unique<ResultsOfRun>(end, extent, sums[2], idle_share(sums[3], sums[4]), std::move(files),
                                             std::move(locks));
  });
  const ResultStore nothing;
  gather_results(on_ranks ? own : nothing, known.iterations, known.files.size(), all_iterations, {}, route,
                 [&](const std::vector<GatheredResult>& window) { results->take(window); });
  end.trained.results = {};  // the ranking of many trials needs memory, too
  return_freed_memory();
  route.do_on_root([&] { code = results->finish(); });
  return code_of_all();
}

}  // namespace sheaf
