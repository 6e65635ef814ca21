// SPDX-License-Identifier: MIT
#include "commands/train/training/train_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "commands/train/training/cut_off.hpp"
#include "commands/train/training/final_gather.hpp"
#include "commands/train/training/gradual_stage.hpp"
#include "commands/train/training/left_out_lines.hpp"
#include "commands/train/training/refit_choice.hpp"
#include "commands/train/training/search_time.hpp"
#include "commands/train/training/train_stage.hpp"
#include "commands/train/training/work_ahead.hpp"
#include "core/clock.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "engines/lane_engine.hpp"
#include "files/directories.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/partition/chunk_rules.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/checkpoint_files.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/replay.hpp"
#include "training/loss_log.hpp"

namespace sheaf {
namespace {

// Per lane, in a round of gradual trials.
constexpr std::int64_t iterations_per_round = 8;

class RunTraining {
 public:
  RunTraining(const RunToTrain& job, const Communicator& world, const Communicator& node, const Communicator& leaders)
      : job_(job),
        options_(job.context.study->run),
        world_(world),
        node_(node),
        waiting_(network_limit(options_, job.run.resume_command(), world, node)),
        route_(world, node, leaders, waiting_),
        stop_cause_(stop_watch_of_rank(options_.time_limit, job.start, world.is_root())),
        are_unequal_(world.maximum(std::int64_t{job.placement.uses_gpu()}) > 0 &&
                     world.maximum(std::int64_t{job.placement.uses_cores()}) > 0),
        is_gradual_(job.context.study->search.is_gradual()),
        earlier_seconds_(trained_seconds(job.run.earlier)),
        context_(job.context) {}

  TrainingOutcome train(RemainingStage current) {
    TrainingOutcome trained;
    trained.last = std::move(current);
    for (;;) {
      if (trained.last.work.count() > 0)
        trained.cause = is_gradual_ && !job_.plan.has_refit() ? train_gradual_stage(trained.last)
                                                              : train_current_stage(trained.last);
      if (!find_next_stage(trained.last, trained.cause)) break;
      trained.last = find_remaining(job_.run, job_.plan, world_);
      if (trained.cause == no_stop) trained.cause = world_.patient_maximum(stop_cause_(), waiting_);
      if (trained.cause != no_stop) break;
      if (journal_) keep_continued_checkpoints();
      log_root(fmt::format("{}{}", counted(trained.last.work.count(), "iteration"), job_.stages.last_stage_text()));
    }
    if (!journal_) return trained;
    trained.lanes = {lane_seconds_, busy_seconds_ + lanes_->busy_seconds()};
    const double trained_seconds = seconds_since(setup_->start);
    lanes_.reset();
    agree_in_background(
        world_,
        [&] {
          if (world_.is_root()) journal_->end_job(trained_seconds);
          journal_->close();
          trained.results = journal_->take_results();
        },
        waiting_);
    trained.journals = own_journals();
    return trained;
  }

 private:
  // Opens the journal and the checkpoints and creates the models directory, before the first iteration.
  void begin() {
    files_.emplace(job_.run.directory, job_.run.header, std::vector<CheckpointName>());
    keep_continued_checkpoints();
    const bool saves_regularly = options_.checkpoint_interval > 0;
    checkpoints_ = {
        saves_regularly ? options_.checkpoint_interval : std::numeric_limits<double>::infinity(),
        [this](const IterationKey& training) { return files_->load(training); },
        [this](const IterationKey& training, const std::string& reason) { files_->set_aside(training, reason); },
        [this](const IterationKey& training, std::int64_t steps) { files_->expect(training, steps); },
        [this](const IterationKey& training, std::int64_t steps, const std::string& state, bool paused) {
          files_->save(training, steps, state, paused);
        }};
    if (saves_regularly || job_.stages.more_may_come() || job_.plan.stage_count() > 1)
      context_.checkpoints = &checkpoints_;
    if (options_.log_every > 0 || (world_.is_root() && options_.progress != ProgressKind::none))
      context_.loss_log = &loss_log_.emplace(options_.log_every, log_rank);
    agree(world_, [&] {
      if (saves_models() && world_.is_root()) make_directory(models_directory(job_.run.directory));
    });
    if (is_gradual_ && context_.study->search.time > 0)
      context_.is_cut = [this](std::int64_t, std::int64_t) { return source_->is_search_over(); };
    journal_ = begin_journal(job_.run, job_.plan, *files_, world_);
    setup_.emplace(LaneSetup{options_, [this](int lane) { return make_lane_engine(lane); }, job_.placement,
                             journal_.get(), &job_.plan, progress_value_of(context_.study)});
    if (job_.stages.more_may_come() || is_gradual_) channel_.emplace(world_.split(0));
    source_.emplace(static_cast<int>(job_.placement.lane_count()), world_, node_, network_timeout_of(options_));
    running_.emplace(source_->lane_count());
    agree(world_, [&] {
      if (world_.is_root())
        search_time_ = search_time_of(context_, earlier_seconds_, source_->lane_count(), thread_count());
    });
    if (world_.is_root()) journal_->record_time_since(setup_->start);
    agree(world_, [&] { lanes_.emplace(*setup_, *source_, world_.rank()); });
  }

  std::unique_ptr<Engine> make_lane_engine(int lane) const {
    auto engine = make_engine(context_, job_.placement.lanes[static_cast<std::size_t>(lane)]);
    return saves_models() ? saving_models(std::move(engine), job_.models) : std::move(engine);
  }

  // Removes the checkpoints of trainings that neither the current stage continues nor a later one begins; tells all
  // ranks about the others, which any rank may have written.
  void keep_continued_checkpoints() {
    std::vector<CheckpointName> kept;
    const Stage& stage = job_.plan.stage(job_.plan.stage_count() - 1);
    agree(world_, [&] {
      if (world_.is_root())
        kept = remove_other_checkpoints(
            job_.run.directory, [&, begun = job_.plan.begun_trials()](const IterationKey& training) {
              const bool continues =
                  stage.has(training.trial) && stage.repeats.has(training.repeat) && stage.folds.has(training.fold);
              const bool begins_later = training.trial >= begun || training.repeat >= stage.repeats.end;
              return continues || begins_later;
            });
    });
    world_.broadcast_vector(kept);
    files_->keep(kept);
  }

  std::int64_t thread_count() const { return job_.placement.lane_count() * options_.threads; }
  bool saves_models() const { return options_.models != ModelsSaved::none; }

  StopCause train_current_stage(const RemainingStage& current) {
    if (!journal_) begin();
    const Stage& stage = job_.plan.stage(job_.plan.stage_count() - 1);
    journal_->begin_stage({stage, current.iterations.begin});
    const bool is_streamed = context_.stream != nullptr;
    const PartitionKind partition =
        settled_kind(options_.partition, is_streamed, node_.size() == world_.size(), stage.trial_count(), are_unequal_);
    std::optional<WorkAhead> ahead;
    const bool trains_together = is_streamed || context_.study.stack().is_stack();
    if (allows_work_ahead(job_.stages, partition, trains_together, !job_.run.slice.is_whole(), source_->lane_count()))
      ahead.emplace(job_.stages, current.work.count(), job_.run.earlier.iterations, *channel_);
    begin_progress(current.work.count());
    const StageWork work{partition,
                         current.work,
                         current.work.count(),
                         ahead ? &*ahead : nullptr,
                         ahead ? &*ahead : nullptr,
                         nullptr,
                         stop_cause_,
                         resume_advice(job_.run.resume_command()),
                         progress_ ? &*progress_ : nullptr};
    const StopCause cause = train(work);
    if (progress_) progress_->finish();
    return cause;
  }

  StopCause train(const StageWork& work) {
    const auto start = Clock::now();
    const StopCause cause = train_stage(work, *lanes_, *source_, world_);
    lane_seconds_ += seconds_since(start) * static_cast<double>(job_.placement.lane_count());
    return cause;
  }

  // Trains trials as earlier ones allow it. Lanes with a shared pool get iterations at once. With a static partition or
  // on streamed data, where all lanes of a node work together, they get them in rounds, each of which ends with a
  // barrier. Results are the same.
  StopCause train_gradual_stage(RemainingStage& current) {
    if (!journal_) begin();
    journal_->begin_stage({job_.plan.stage(0), 0});
    const bool is_streamed = context_.stream != nullptr;
    const PartitionKind partition = settled_kind(options_.partition, is_streamed, node_.size() == world_.size(),
                                                 job_.plan.trial_count(), are_unequal_);
    const bool at_once = is_dynamic(partition) && !is_streamed;
    const auto release = at_once ? GradualStage::Release::at_once : GradualStage::Release::next_round;
    begin_progress(current.left);
    StopCause cause = no_stop;
    for (std::int64_t done = 0; cause == no_stop;) {
      const RemainingIterations round(at_once ? std::vector<IndexRange>{current.iterations} : next_round());
      if (round.count() == 0) break;
      GradualStage gradual(
          job_.plan, job_.stages.gradual(), release, context_.study.stack().most,
          [this] { return journal_pruned(*job_.stages.gradual(), *journal_); }, [this] { return time_left(); },
          *running_, *channel_);
      const StageWork work{partition,
                           round,
                           at_once ? 0 : round.count(),
                           &gradual,
                           nullptr,
                           &gradual,
                           [this] { return gradual_stop_cause(); },
                           resume_advice(job_.run.resume_command()),
                           progress_ ? &*progress_ : nullptr,
                           done};
      cause = train(work);
      done += source_->finished_count() + gradual.left_out();
      if (at_once) break;
    }
    if (progress_) progress_->finish();
    agree(world_, [&] {
      if (!world_.is_root()) return;
      if (cause == search_is_over)
        journal_end_of_search(job_.stages, *journal_);
      else if (job_.stages.is_over())
        job_.stages.end_gradual();
    });
    if (world_.is_root() && !job_.stages.end_text().empty()) log_root(job_.stages.end_text());
    current = find_remaining_trials(job_.stages, job_.plan, world_);
    if (cause == search_is_over && is_streamed) restart_stream();
    return cause == search_is_over ? no_stop : cause;
  }

  // Lanes that have left a round of streamed data cannot begin another one.
  void restart_stream() {
    busy_seconds_ += lanes_->busy_seconds();
    lanes_.reset();
    agree(world_, [&] { context_.stream->restart(); });
    agree(world_, [&] { lanes_.emplace(*setup_, *source_, world_.rank()); });
  }

  // For rank 0. Trainings that have been cut do not give time back.
  bool is_search_time_up() {
    is_time_up_ = is_time_up_ || search_time_.is_up(*job_.stages.gradual(), *running_, seconds_since(setup_->start));
    return is_time_up_;
  }

  GradualStage::TimeLeft time_left() {
    if (!is_search_time_up()) return GradualStage::TimeLeft::some;
    return search_time_.cuts_trials ? GradualStage::TimeLeft::none : GradualStage::TimeLeft::of_first_trial;
  }

  // Also the end of search.time, once a trial is complete. Only rank 0 checks the time.
  StopCause gradual_stop_cause() {
    const StopCause cause = stop_cause_();
    const bool may_end = world_.is_root() && job_.stages.gradual()->has_complete_trial();
    return cause == no_stop && may_end && is_search_time_up() ? search_is_over : cause;
  }

  // The iterations that may be trained now, on all ranks, which also get the values of their trials.
  std::vector<IndexRange> next_round() {
    std::vector<IndexRange> released;
    std::string values;
    agree(world_, [&] {
      if (!world_.is_root()) return;
      const bool is_time_up = is_search_time_up() && !job_.stages.gradual()->has_complete_trial();
      released = job_.stages.gradual()->release(iterations_per_round * source_->lane_count(), is_time_up);
      journal_pruned(*job_.stages.gradual(),
                     *journal_);  // without a round, if results that the journals have already decide
      std::vector<std::int64_t> trials;
      for (; job_.plan.draws_from_results() && shared_trials_ < job_.stages.gradual()->begun(); ++shared_trials_)
        trials.push_back(shared_trials_);
      values = packed_values(job_.plan, trials);
    });
    world_.broadcast_vector(released);
    values = world_.broadcast(values, 0);
    if (!world_.is_root()) give_packed_values(job_.plan, values);
    return released;
  }

  // `iterations`: that the job trains.
  void begin_progress(std::optional<std::int64_t> iterations) {
    const bool is_known =
        job_.plan.has_refit() || (context_.study->search.has_trial_count() && context_.study->search.time == 0);
    if (!is_known) iterations.reset();
    if (world_.is_root())
      progress_.emplace(options_.progress, iterations, setup_->progress_value, job_.stages.position_text());
  }

  // Adds the next stage if the current one has all its results. Array tasks do not: a job that starts after all tasks
  // does.
  bool find_next_stage(const RemainingStage& current, StopCause cause) {
    const bool may_follow = job_.stages.more_may_come() || (job_.plan.wants_refit() && !job_.plan.has_refit());
    if (!job_.run.slice.is_whole() || !may_follow) return false;
    const ResultStore nothing;
    const ResultStore* own = &nothing;
    agree_in_background(
        world_,
        [&] {
          if (journal_) own = &journal_->results_so_far();
        },
        waiting_);
    // Some failed iterations of gradual trials are final.
    const bool any_counts = is_gradual_ || job_.stages.next_adds_repeats();
    const std::int64_t known = any_counts ? own->count(current.iterations) : own->count_results(current.iterations);
    if (const std::int64_t missing = current.left - route_.sum(known); missing > 0) {
      if (cause == no_stop)
        warn_root(fmt::format("{} is not trained, because {} failed. Correct the cause, and continue with: {}",
                              job_.stages.more_may_come() ? "the next stage of the search" : "the refit",
                              counted(missing, "iteration"), job_.run.resume_command()));
      return false;
    }
    return (job_.stages.more_may_come() && find_next_stage_of_search(*own, current)) || find_refit(*own);
  }

  bool find_next_stage_of_search(const ResultStore& own, const RemainingStage& current) {
    gather_results(own, job_.run.earlier.iterations, job_.run.earlier.files.size(), current.iterations, {}, route_,
                   [&](const std::vector<GatheredResult>& window) {
                     for (const auto& gathered : window) job_.stages.add(gathered.unpack().trained.result);
                   });
    return choose_next_stage(job_.stages, job_.plan, job_.run.earlier.stages, job_.run.directory, world_);
  }

  bool find_refit(const ResultStore& own) {
    if (!job_.plan.wants_refit()) return false;
    std::vector<Refit> refits = choose_refits(
        {context_, job_.models, thread_count(), job_.stages, own, job_.run.earlier, own_journals()}, route_, world_);
    const std::int64_t known = job_.plan.stage_count();
    agree(world_, [&] {
      if (!refits.empty()) job_.stages.add_refit(std::move(refits));
    });
    share_stages(job_.plan, known, world_);
    return job_.plan.has_refit();
  }

  // The journals of all ranks, on rank 0; empty if no iteration had to be trained so far.
  std::vector<std::string> own_journals() const {
    std::vector<std::string> paths;
    for (int rank = 0; journal_ && world_.is_root() && rank < world_.size(); ++rank)
      paths.push_back(sibling_journal(journal_->path(), rank));
    return paths;
  }

  const RunToTrain& job_;
  const RunOptions& options_;
  const Communicator& world_;
  const Communicator& node_;
  const WhileWaiting waiting_;
  const GatherRoute route_;
  const std::function<StopCause()> stop_cause_;
  const bool are_unequal_;  // some lanes of the job train on GPUs, others on cores
  const bool is_gradual_;
  const double earlier_seconds_;  // of training, on rank 0
  TrainingContext context_;
  std::optional<CheckpointFiles> files_;
  Checkpoints checkpoints_;
  std::optional<LossLog> loss_log_;
  std::unique_ptr<JournalWriter> journal_;  // this and the next members: null if no iteration had to be trained so far
  std::optional<Communicator> channel_;     // for a StageObserver, if stages may have one
  std::optional<LaneSetup> setup_;
  std::optional<Progress> progress_;  // of the current stage, on rank 0
  SearchTime search_time_;            // this and the next two: on rank 0
  std::optional<RunningTrainings> running_;
  bool is_time_up_ = false;
  std::int64_t shared_trials_ = 0;  // of gradual trials: how many have values that all ranks know
  std::optional<WorkSource> source_;
  std::optional<Lanes> lanes_;
  double busy_seconds_ = 0;  // of lanes that were replaced
  double lane_seconds_ = 0;  // of the stages so far, for each lane of this rank
};

}  // namespace

TrainingOutcome train_run(const RunToTrain& job, RemainingStage current, const Communicator& world,
                          const Communicator& node, const Communicator& leaders) {
  return RunTraining(job, world, node, leaders).train(std::move(current));
}

}  // namespace sheaf
