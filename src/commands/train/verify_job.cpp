// SPDX-License-Identifier: MIT
#include "commands/train/verify_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "commands/train/prepare/data_defaults.hpp"
#include "commands/train/prepare/prepared_training.hpp"
#include "commands/train/training/stage_rest.hpp"
#include "commands/train/verify/iteration_sample.hpp"
#include "commands/train/verify/sample_comparison.hpp"
#include "commands/train/verify/train_sample.hpp"
#include "commands/train/verify/verify_report.hpp"
#include "core/log.hpp"
#include "files/directories.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "runs/search_stages.hpp"
#include "search/search_table.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// The results of a run, perhaps of another version, in whose journals studies have other fingerprints. For rank 0.
Replay read_journals(const SettledStudy& study, SearchStages& stages, const JournalHeader& own) {
  constexpr bool forced = true;  // differences decide how results are compared
  const RunReader reader(run_directory(study));
  JournalHeader expected = own;
  expected.study = reader.journaled_study(study);
  return std::move(reader.progress(stages, expected, forced).journals);
}

// Throws UsageError if nothing can be compared.
void require_comparable(const std::string& directory, const Comparable& comparable) {
  if (!comparable.iterations.empty()) return;
  if (comparable.left_out.of_other_data > 0)
    throw UsageError(
        fmt::format("the data or model files of '{}' have changed since it was trained (results of other data cannot "
                    "be compared). Restore them, or name the files with --data.file.",
                    directory));
  throw UsageError(fmt::format("'{}' has no finished iteration (there is nothing to train again). Continue it with: {}",
                               directory, resume_command_of(directory)));
}

struct DrawnSample {
  StoredSample stored;
  LeftOut left_out;  // on rank 0
};

// `stages`: of `plan`, which has the first stage; gives the plans of all ranks the stages of the run. Collective over
// world.
DrawnSample draw_sample(const SettledStudy& study, const JournalHeader& own, const SampleSize& size,
                        SearchStages& stages, Plan& plan, const Communicator& world) {
  const std::string directory = run_directory(study);
  const std::int64_t known_stages = plan.stage_count();
  Replay journals;
  LeftOut left_out;
  std::vector<std::int64_t> iterations;
  const auto draw = [&] {
    if (!world.is_root()) return;
    journals = read_journals(study, stages, own);
    for (const std::string& warning : journals.warnings) warn_root(warning);
    const Comparable comparable = comparable_iterations(journals, own);
    require_comparable(directory, comparable);
    left_out = comparable.left_out;
    const auto total = static_cast<std::int64_t>(comparable.iterations.size());
    for (const std::int64_t position : spread_sample(total, size.count.value_or(total), size.seed))
      iterations.push_back(comparable.iterations[static_cast<std::size_t>(position)]);
  };
  agree_in_background(world, draw, without_limit());  // journals may be large
  share_read_stages(plan, study->search.is_gradual(), known_stages, world);
  return {share_sample(journals, iterations, plan, world), left_out};
}

}  // namespace

ExitCode verify_run(const Study& requested, const SampleSize& size, const Communicator& world) {
  const JobStart start;
  const Communicator node = world.split_by_node();
  const std::string directory = run_directory(requested);
  Study asked;
  agree(world, [&] {
    asked = with_absolute_inputs(requested, current_directory());
    asked.run.array = {};
    asked.run.on_failure = OnFailure::go_on;  // a failure is a difference
  });

  // 1. Check the study, its data and the ranks, as a job that resumes the run does.
  const Study planned = settle_data_defaults(asked, world);
  std::optional<Plan> made_plan;
  agree(world, [&] { made_plan.emplace(planned); });
  Plan& plan = *made_plan;
  const auto searcher = make_searcher(planned);
  SearchStages stages(*searcher, plan);
  choose_next_stage(stages, plan, {}, "", world);
  const PreparedTraining training = prepare_training(planned, plan, directory, world, node);
  const SettledStudy& study = training.prepared.study;

  // 2. Draw the sample, train it and compare.
  const DrawnSample sample = draw_sample(study, training.header, size, stages, plan, world);
  const std::vector<std::int64_t> iterations = sample.stored.iterations();
  const StudyData& data = training.prepared.data;
  TrainingContext context{study, plan, data.data ? &*data.data : nullptr, data.splits.get(), data.stream.get()};
  context.is_cut = [cut = sample.stored.cut_epochs()](std::int64_t iteration, std::int64_t epochs) {
    const auto found = cut.find(iteration);
    return found != cut.end() && found->second == epochs;
  };
  const SavedModels models{study, plan, data.shape, data.description, directory};
  SampleComparison comparison(sample.stored, plan, models, training.header);
  const StopCause cause =
      train_sample(iterations, context, training.prepared.placement, comparison, start, world, node);
  const std::vector<ComparedIteration> compared = comparison.gather(world);

  // 3. Report.
  agree(world, [&] {
    if (!world.is_root()) return;
    print_job_result(verify_text(plan, compared, static_cast<std::int64_t>(iterations.size()), sample.left_out));
  });
  const bool differs =
      std::any_of(compared.begin(), compared.end(), [](const ComparedIteration& one) { return !one.is_same(); });
  if (world.maximum(std::int64_t{differs}) > 0) return ExitCode::failed;
  if (cause == no_stop) return ExitCode::done;
  log_root(fmt::format("stopped by {}", stop_text(cause)));
  return ExitCode::stopped;
}

}  // namespace sheaf
