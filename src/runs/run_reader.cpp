// SPDX-License-Identifier: MIT
#include "runs/run_reader.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "core/error.hpp"
#include "files/regular_file.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/journal/journal_files.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "study/stored_study.hpp"

namespace sheaf {

std::string RunReader::study_text(bool forced) const {
  std::string text = read_study_text(study_path(directory_));
  require_this_version(text, directory_, forced);
  return text;
}

Study RunReader::study(bool forced) const {
  const std::string path = study_path(directory_);
  Study stored = parse_study_text(study_text(forced), path, {});
  require(stored.data.mode != DataMode::automatic && stored.run.engine != EngineKind::automatic,
          fmt::format("'{}' does not store how the run was trained (data.mode = {}, run.engine = {}; written by sheaf "
                      "0.1.0). Start a new run with another run.output.",
                      path, setting_text(stored, "data.mode"), setting_text(stored, "run.engine")));
  return stored;
}

namespace {

std::optional<JournalHeader> header_of(const std::string& journal) {
  std::ifstream file(journal, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return read_header_line(line);
}

}  // namespace

std::optional<JournalHeader> RunReader::identity() const {
  for (const auto& journal : list_journals(directory_))
    if (auto header = header_of(journal)) return header;
  return std::nullopt;
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
  stages.catch_up(results);
  require_recorded_stages(stages.plan(), progress.journals.stages, directory_);
  progress.left = iterations_left(results, stages.last_iterations());
  const std::int64_t total = stages.plan().iteration_count();
  progress.is_complete = results.count({0, total}) == total;
  return progress;
}

std::vector<std::string> RunReader::best_models() const {
  const std::string path = best_model_list(directory_);
  refuse_special_file(path);
  std::ifstream list(path);
  std::vector<std::string> files;
  for (std::string name; std::getline(list, name);) files.push_back(models_directory(directory_) + "/" + name);
  return files;
}

}  // namespace sheaf
