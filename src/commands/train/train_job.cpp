// SPDX-License-Identifier: MIT
#include "commands/train/train_job.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <utility>

#include "commands/train/finish/finish_run.hpp"
#include "commands/train/prepare/data_defaults.hpp"
#include "commands/train/prepare/prepared_training.hpp"
#include "commands/train/prepare/stored_run.hpp"
#include "commands/train/prepare/study_cost.hpp"
#include "commands/train/training/model_saving.hpp"
#include "commands/train/training/stage_rest.hpp"
#include "commands/train/training/train_run.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engines/used_engines.hpp"
#include "files/directories.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::vector<std::pair<std::string, AttributeValue>> provenance(const std::string& command_line,
                                                               const std::string& data_fingerprint,
                                                               const std::string& directory, const UsedEngines& engines,
                                                               int rank_count, const std::string& mpi_version,
                                                               const JobStart& start) {
  std::vector<std::pair<std::string, AttributeValue>> values = {{"program", "sheaf " + program_version()},
                                                                {"git_revision", git_revision()},
                                                                {"command_line", command_line},
                                                                {"started_utc", utc_text(start.utc)},
                                                                {"finished_utc", utc_text(std::time(nullptr))},
                                                                {"wall_seconds", seconds_since(start.monotonic)},
                                                                {"rank_count", std::int64_t{rank_count}},
                                                                {"attempts", RunReader(directory).attempts()},
                                                                {"mpi", mpi_version}};
  for (auto& [name, version] : engine_versions(engines)) values.emplace_back(name, std::move(version));
  values.emplace_back("hdf5", hdf5_version());
  values.emplace_back("random_numbers", "Philox4x32-10");
  values.emplace_back("data_fingerprint", data_fingerprint);
  return values;
}

DataSummary summary_of(const StudyData& data, const DataOptions& options) {
  DataSummary summary;
  if (options.source == DataSource::file) summary.file = options.file;
  if (!data.description.content_hash.empty()) summary.content_hash = data.description.content_hash;
  const RowCounts rows = expected_rows(options, data.file);
  summary.rows = rows.own;
  if (rows.validation_file > 0) summary.validation = HeldOutSummary{options.validation_file, rows.validation_file};
  if (rows.test_file > 0) summary.test = HeldOutSummary{options.test_file, rows.test_file};
  summary.features = data.shape.features;
  if (has_names(data.description.columns))
    summary.named_features = static_cast<std::int64_t>(data.description.columns.size());
  return summary;
}

// Returns nothing if another task of the job array has opened the run in the meantime with other choices.
std::optional<ExitCode> try_run(const Study& requested, const RunRequest& request, const MakeSearcher& make,
                                const JobStart& start, const Communicator& world) {
  const ArraySlice slice = agree_on_slice(requested, world);
  Study asked = requested;
  asked.run.array = {};  // the run directory belongs to the whole study
  const Communicator node = world.split_by_node();
  const Communicator leaders = world.split(node.is_root() ? 0 : -1);  // created early: a split has no time limit

  // 1. Check everything before anything is written.
  const std::optional<StoredRun> stored = find_stored_run(asked, request, slice, world);
  if (stored) asked = joined_study(asked, *stored);
  const Study planned = settle_data_defaults(asked, world);
  std::optional<Plan> made_plan;
  agree(world, [&] { made_plan.emplace(planned); });
  Plan& plan = *made_plan;
  const auto searcher = make(planned);
  SearchStages stages(*searcher, plan);
  choose_next_stage(stages, plan, {}, "", world);
  const PreparedTraining training =
      prepare_training(planned, plan, stored ? std::optional(run_directory(planned)) : std::nullopt, world, node);
  const PreparedStudy& prepared = training.prepared;
  const SettledStudy& study = prepared.study;
  const StudyData& data = prepared.data;
  JournalHeader header = training.header;
  agree(world, [&] {
    if (world.is_root()) header.expected_seconds = study_cost(prepared, plan, searcher->sizes(plan)).seconds;
  });
  const std::int64_t known_stages = plan.stage_count();
  const auto opened = open_run(study, stored.has_value(), request, header, slice, stages, world);
  if (!opened) return std::nullopt;
  const OpenRun& run = *opened;
  begin_log_times();

  // 2. Train.
  const TrainingContext context{study, plan, data.data ? &*data.data : nullptr, data.splits.get(), data.stream.get()};
  const SavedModels models{study, plan, data.shape, data.description, run.directory};
  RemainingStage current = find_current_stage(run, stages, study->search.is_gradual(), plan, known_stages, world);
  if (stored) {
    std::string warning;
    const std::int64_t refits = plan.wants_refit() && !plan.has_refit() ? plan.members() : 0;
    agree(world, [&] {
      warning = models_warning(study, stored->study, plan.iteration_count() - current.left, current.left + refits);
    });
    if (!warning.empty()) warn_root(warning);
  }
  if (current.work.count() > 0 && world.is_root()) {
    for (const auto& line : placement_lines(prepared.ranks)) log_root(line);
    if (const auto& layout = prepared.facts.layout; layout.image.channels > 0)
      log_root(fmt::format("rows: {}", row_text(layout, data.shape.features)));
    log_root(fmt::format("{}: {}{} into '{}'", study->study.name,
                         study->search.has_trial_count() || plan.has_refit()
                             ? counted(current.work.count(), "iteration")
                             : "trials until the end of the search",
                         stages.last_stage_text(), run.directory));
    if (const auto skipped = plan.skipped_text(); !skipped.empty()) log_root("skipped " + skipped);
    for (const auto& sentence : ineffective_gpu_keys(study->run, prepared.facts)) warn_root(sentence);
    if (prepared.gpu_lanes < prepared.ranks.lane_count())
      if (const auto warning = find_slow_products(training.engines)) warn_root(*warning);
    for (const auto& note :
         {note_on_gpus(study, plan, prepared.facts), note_on_predictions(study, prepared.facts),
          note_on_stacks(study, prepared.facts.gpus), note_on_batch(study, prepared.ranks.lane_count())})
      if (!note.empty()) log_root(note);
  }
  TrainingOutcome trained = train_run({run, stages, plan, context, models, prepared.placement, start},
                                      std::move(current), world, node, leaders);

  // 3. Gather the results, write them and print the summary.
  const auto make_provenance = [&, mpi_version = MpiSession::library_version()] {
    return provenance(request.command_line, training.header.data, run.directory, training.engines, world.size(),
                      mpi_version, start);
  };
  const DataSummary data_summary = summary_of(data, study->data);
  return finish_run({run, stages, plan, context, models, trained, prepared.ranks, prepared.engine_of_trial, data.file,
                     data.stream ? data.stream->bytes_read() : 0, data_summary, make_provenance, start.monotonic},
                    world, node, leaders);
}

}  // namespace

ExitCode execute_run(const Study& requested, const RunRequest& request, const Communicator& world, MakeSearcher make) {
  const JobStart start;
  Study study;
  // The run stores absolute paths, so that it can be resumed in another directory.
  agree(world, [&] { study = with_absolute_inputs(requested, current_directory()); });
  std::optional<ExitCode> code;
  while (!code) code = try_run(study, request, make, start, world);
  return *code;
}

}  // namespace sheaf
