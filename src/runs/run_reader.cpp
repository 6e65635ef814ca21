// SPDX-License-Identifier: MIT
#include "runs/run_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "core/error.hpp"
#include "core/problem_list.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "files/regular_file.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/journal/journal_files.hpp"
#include "search/search_table.hpp"
#include "study/parse_study.hpp"
#include "study/stored_study.hpp"

namespace sheaf {

std::string RunReader::study_text(bool forced) const {
  const std::string path = latest_study_path(directory_);
  std::string text = read_study_text(path);
  require_this_version(text, path, forced);
  return text;
}

SettledStudy RunReader::study(bool forced) const {
  return parse_stored_study(study_text(forced), latest_study_path(directory_));
}

namespace {

std::optional<JournalHeader> header_of(const std::string& journal) {
  std::ifstream file(journal, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return read_header_line(line);
}

// The study of a run. That of another version may have keys that this version does not know.
SettledStudy study_of_any_version(const RunReader& reader, const std::string& directory, const std::string& program) {
  constexpr bool forced = true;  // accepts other versions
  try {
    return reader.study(forced);
  } catch (const UsageError& error) {
    if (program == program_version()) throw;
    throw RunError(fmt::format("sheaf {} cannot read '{}' (it was written by sheaf {}). Use that version. {}",
                               program_version(), latest_study_path(directory),
                               program.empty() ? "of an unknown version" : printable(program),
                               problems_of(error.what()).front()));
  }
}

// The rest of the run can be shown without an ensemble that is damaged.
void read_ensemble_of(const RunReader& reader, RunState& run) {
  try {
    run.ensemble = reader.ensemble();
  } catch (const RunError& error) {
    run.progress.journals.warnings.emplace_back(error.what());
  }
}

}  // namespace

RunState read_run(const std::string& directory) {
  require_run(directory);
  // The jobs first, then the result files: if neither are found, the journals are those of a stopped run.
  RunJobs jobs = find_run_jobs(directory);
  const RunReader reader(directory);
  const bool has_results = reader.has_results();
  constexpr bool forced = true;  // accepts other versions, and results that a forced job has mixed
  const std::string program = storing_version(reader.study_text(forced)).value_or("");
  const SettledStudy study = study_of_any_version(reader, directory, program);
  RunState run{directory, program, study, Plan(study), "", std::move(jobs), has_results, {}, {}, {}};
  const auto searcher = make_searcher(study);
  SearchStages stages(*searcher, run.plan);
  stages.choose_next();
  JournalHeader expected = reader.identity().value_or(JournalHeader{});
  expected.study = reader.journaled_study(study);
  run.progress = reader.progress(stages, expected, forced);
  run.last_stage_text = stages.last_stage_text();
  run.stage_position = stages.position_text();
  run.later_iterations = stages.later_iterations();
  run.attempts = list_attempts(directory);
  run.checkpoints = list_checkpoints(directory);
  run.earlier_results = earlier_results(directory);
  if (has_results) read_ensemble_of(reader, run);
  return run;
}

std::optional<JournalHeader> RunReader::identity() const {
  for (const auto& journal : list_journals(directory_))
    if (auto header = header_of(journal)) return header;
  return std::nullopt;
}

std::string RunReader::journaled_study(const Study& study) const {
  constexpr bool forced = true;  // accepts other versions
  const auto journaled = identity();
  const bool is_of_other_version = journaled && storing_version(study_text(forced)) != program_version();
  return is_of_other_version ? journaled->study : study_fingerprint(study);
}

std::string RunReader::content_of_files(const std::string& files) const {
  for (const auto& journal : list_journals(directory_))
    if (const auto header = header_of(journal); header && header->files == files) return header->data;
  return "";
}

bool RunReader::has_results() const {
  return holds_results(directory_);
}

std::int64_t RunReader::attempts() const {
  return count_attempts(directory_);
}

RunProgress RunReader::progress(SearchStages& stages, const JournalHeader& expected, bool forced) const {
  RunProgress progress;
  progress.journals =
      replay_journals(directory_, expected, {stages.max_iterations(), stages.plan().iterations_of(0).end}, forced);
  require(
      !progress.journals.files.empty() || !has_results(),
      fmt::format(
          "'{}' has results but no journal (finished iterations are unknown). Start a new run with another run.output.",
          directory_));
  const ResultStore& results = progress.journals.iterations;
  const bool is_done = stages.catch_up(progress.journals);
  require_recorded_stages(stages.plan(), progress.journals.stages, directory_);
  if (!is_done) progress.left = iterations_left(results, stages.last_iterations());
  const std::int64_t total = stages.plan().iteration_count();
  // There is no refit if no trial can be trained again, which only a job finds out.
  const bool awaits_refit = stages.awaits_refit() && !has_results();
  progress.is_complete = results.count({0, total}) == total && !awaits_refit;
  return progress;
}

std::optional<RunModels> RunReader::models(ModelsKind kind) const {
  RunModels models{kind, {}};
  if (kind == ModelsKind::ensemble) {
    const auto known = ensemble();
    if (!known) return std::nullopt;
    WeightedFiles all = weighted_files(*known);
    for (const auto& name : all.files) models.files.push_back(models_directory(directory_) + "/" + name);
    models.weights = std::move(all.weights);
    return models;
  }
  const std::string path = kind == ModelsKind::refit ? refit_model_list(directory_) : best_model_list(directory_);
  refuse_special_file(path);
  std::ifstream list(path);
  for (std::string name; std::getline(list, name);) {
    require(
        !name.empty() && name.find('/') == std::string::npos,
        fmt::format("'{}' has the line '{}' (it is not the name of a file in the same directory). Correct it, or train "
                    "the study again.",
                    path, printable(name)));
    models.files.push_back(models_directory(directory_) + "/" + name);
  }
  if (models.files.empty()) return std::nullopt;
  return models;
}

std::optional<RunModels> RunReader::models() const {
  for (const ModelsKindRow& row : models_kinds)
    if (auto found = models(row.kind)) return found;
  return std::nullopt;
}

std::optional<TrialEnsemble> RunReader::ensemble() const {
  return read_ensemble(ensemble_path(directory_));
}

}  // namespace sheaf
