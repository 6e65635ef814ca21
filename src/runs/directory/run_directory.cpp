// SPDX-License-Identifier: MIT
#include "runs/directory/run_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/error.hpp"
#include "core/escaped.hpp"
#include "files/directories.hpp"
#include "files/output_file.hpp"
#include "files/regular_file.hpp"
#include "files/replace_file.hpp"
#include "study/plan.hpp"
#include "study/settings.hpp"
#include "study/stored_study.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// The number of iterations in the result files, from before the run got another number.
constexpr const char* earlier_results_file = "journal/earlier-results";

constexpr const char* run_files[] = {"study.cfg", "results.csv", "results.h5", "summary.json"};

// Returns false if the directory cannot be searched; writing to it will report the error.
bool exists_in(const std::string& directory, const std::string& name) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / name, ignored);
}

bool has_result_files(const std::string& directory) {
  return exists_in(directory, "results.csv") && exists_in(directory, "results.h5");
}

// N of study-N.cfg; nothing for other names.
std::optional<std::int64_t> study_number(const std::string& name) {
  constexpr std::string_view begin = "study-", end = ".cfg";
  if (name.size() <= begin.size() + end.size() || name.compare(0, begin.size(), begin) != 0 ||
      name.compare(name.size() - end.size(), end.size(), end) != 0)
    return std::nullopt;
  const char *const first = name.data() + begin.size(), *const last = name.data() + name.size() - end.size();
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(first, last, number);
  return error == std::errc{} && stop == last && number > 1 ? std::optional(number) : std::nullopt;
}

// The number of the latest study: 1 is study.cfg.
std::int64_t latest_study_number(const std::string& directory) {
  std::int64_t latest = 1;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    latest = std::max(latest, study_number(entry.path().filename().string()).value_or(1));
  return latest;
}

std::string numbered_study_path(const std::string& directory, std::int64_t number) {
  return number == 1 ? study_path(directory) : fmt::format("{}/study-{}.cfg", directory, number);
}

// Whether jobs write this file of a run directory by UnfinishedFile.
bool is_replaced_file(const std::string& name) {
  constexpr const char* names[] = {"study.cfg",           "results.csv",          "results.h5",
                                   "summary.json",        "README.txt",           "models/best.txt",
                                   "models/refit.txt",    "models/ensemble.json", "models/ensemble.pt",
                                   "journal/slurm-array", "importance.json",      earlier_results_file};
  return std::find(std::begin(names), std::end(names), name) != std::end(names) || study_number(name) ||
         name.rfind("models/iteration-", 0) == 0 || name.rfind("models/refit-", 0) == 0;
}

}  // namespace

std::string run_directory(const Study& study) {
  return study.run.output.empty() ? "runs/" + study.study.name : study.run.output;
}

std::string study_path(const std::string& run_directory) {
  return run_directory + "/study.cfg";
}

std::string latest_study_path(const std::string& run_directory) {
  return numbered_study_path(run_directory, latest_study_number(run_directory));
}

std::string resume_command_of(const std::string& directory) {
  return "sheaf resume " + shell_word(directory);
}

bool holds_run(const std::string& directory) {
  return std::any_of(std::begin(run_files), std::end(run_files),
                     [&](const char* name) { return exists_in(directory, name); });
}

bool holds_results(const std::string& directory) {
  return has_result_files(directory) && !exists_in(directory, earlier_results_file);
}

void require_run(const std::string& directory) {
  if (!exists_in(directory, "study.cfg"))
    throw UsageError(
        fmt::format("'{}' is not a run directory (it has no study.cfg). Pass a run directory.", directory));
}

void require_no_run(const std::string& directory) {
  require(
      !exists_in(directory, "study.cfg") || holds_results(directory),
      fmt::format("'{}' already has an unfinished run. Continue it with: {}. Or choose another run.output, or remove "
                  "the directory.",
                  directory, resume_command_of(directory)));
  for (const char* name : run_files)
    require(!exists_in(directory, name), [&] {
      return fmt::format("'{}' already has a run ('{}' exists). Choose another run.output, or remove the directory.",
                         directory, name);
    });
}

void write_study(const std::string& directory, const SettledStudy& study) {
  write_whole_file(study_path(directory), stored_study_text(study));
}

void write_next_study(const std::string& directory, const SettledStudy& study) {
  write_whole_file(numbered_study_path(directory, latest_study_number(directory) + 1), stored_study_text(study));
}

void keep_earlier_results(const std::string& directory, std::int64_t iterations) {
  if (!holds_results(directory)) return;  // there are none, or they are those of an earlier change
  write_whole_file(directory + "/" + earlier_results_file, fmt::format("{}\n", iterations));
  sync_directory(directory + "/journal");
}

std::optional<std::int64_t> earlier_results(const std::string& directory) {
  constexpr std::int64_t most_bytes = 100;
  const std::string path = directory + "/" + earlier_results_file;
  std::error_code ignored;
  if (!has_result_files(directory) || !fs::is_regular_file(path, ignored)) return std::nullopt;
  const std::string text = RegularFile(path).read(most_bytes);
  std::int64_t iterations = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), iterations);
  return error == std::errc{} ? std::optional(iterations) : std::nullopt;
}

void forget_earlier_results(const std::string& directory) {
  remove_file(directory + "/" + earlier_results_file);
}

std::string models_directory(const std::string& run_directory) {
  return run_directory + "/models";
}

std::string model_name(const Plan& plan, std::int64_t number) {
  const Iteration iteration = plan.iteration(number);
  const char* const ending = model_file_ending(plan.trial(iteration.trial).model.kind);
  return plan.refit_iterations().has(number) ? fmt::format("refit-{}-{}{}", iteration.trial, iteration.member, ending)
                                             : fmt::format("iteration-{}{}", number, ending);
}

std::string best_model_list(const std::string& run_directory) {
  return models_directory(run_directory) + "/best.txt";
}

std::string refit_model_list(const std::string& run_directory) {
  return models_directory(run_directory) + "/refit.txt";
}

std::string ensemble_path(const std::string& run_directory) {
  return models_directory(run_directory) + "/ensemble.json";
}

std::string ensemble_module_path(const std::string& run_directory) {
  return models_directory(run_directory) + "/ensemble.pt";
}

std::string importance_path(const std::string& run_directory) {
  return run_directory + "/importance.json";
}

void remove_unfinished_files(const std::string& run_directory) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const char* folder : {"", "journal", "models"})
    for (const auto& entry : fs::directory_iterator(fs::path(run_directory) / folder, ignored)) {
      const auto name = final_path((fs::path(folder) / entry.path().filename()).string());
      if (name && is_replaced_file(*name)) found.push_back(entry.path());
    }
  for (const auto& path : found) fs::remove(path, ignored);
}

}  // namespace sheaf
