// SPDX-License-Identifier: MIT
#include "results/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/error.hpp"
#include "core/output_file.hpp"
#include "core/replace_file.hpp"
#include "hdf5/table_writer.hpp"
#include "options/settings.hpp"
#include "results/table.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_files[] = {"study.cfg", "results.csv", "results.h5"};

void write_hdf5(const std::string& path, const Study& study, const Plan& plan, const RunResults& results) {
  Hdf5Writer file(path);
  file.write_attribute("study", study_file_text(study));
  for (const auto& [name, value] : results.provenance) file.write_attribute(name, value);
  file.write_table("iterations", iteration_table(plan, results.records, results.messages));
  if (study.run.curves) file.write_table("epochs", epoch_table(results.epochs));
  file.write_table("trials", trial_table(plan, rank_trials(plan, results.records, results.ensembles)));
  if (!results.ensembles.empty()) file.write_table("ensembles", ensemble_table(results.ensembles));

  std::vector<std::string> hosts, devices, notes;
  std::vector<std::int64_t> numbers, cores, lanes, threads;
  for (const auto& rank : results.ranks) {
    numbers.push_back(static_cast<std::int64_t>(numbers.size()));
    hosts.push_back(rank.host);
    devices.push_back(rank.device);
    cores.push_back(rank.cores);
    lanes.push_back(rank.lanes);
    threads.push_back(rank.threads);
    notes.push_back(rank.note);
  }
  file.write_table("ranks", {{"rank", numbers},
                             {"host", hosts},
                             {"device", devices},
                             {"cores", cores},
                             {"lanes", lanes},
                             {"threads", threads},
                             {"note", notes}});
  file.close();
}

// The topmost directory that does not exist yet on the way to `directory`; empty when all of it does.
fs::path first_missing(const fs::path& directory) {
  fs::path missing;
  for (fs::path path = directory; !path.empty() && !fs::exists(path); path = path.parent_path()) {
    missing = path;
    if (path == path.parent_path()) break;
  }
  return missing;
}

// Takes back what create_run_directory made.
void remove_made(const fs::path& made) {
  std::error_code ignored;  // the error that led here is the one to tell
  if (!made.empty()) fs::remove_all(made, ignored);
}

}  // namespace

std::string run_directory(const Study& study) {
  return study.run.output.empty() ? "runs/" + study.study.name : study.run.output;
}

bool holds_run(const std::string& directory) {
  return std::any_of(std::begin(run_files), std::end(run_files),
                     [&](const char* name) { return fs::exists(fs::path(directory) / name); });
}

bool holds_results(const std::string& directory) {
  return fs::exists(fs::path(directory) / "results.csv") && fs::exists(fs::path(directory) / "results.h5");
}

void create_run_directory(const std::string& directory, const Study& study) {
  const fs::path path = fs::path(directory).lexically_normal();
  fs::path made;
  try {
    if (fs::exists(path / "study.cfg") && !holds_results(directory))
      throw RunError(
          fmt::format("'{}' already holds a run ('study.cfg' is there, its results are not). Go on with it: "
                      "sheaf resume {}, choose another run.output, or remove it.",
                      directory, directory));
    for (const char* name : run_files)
      if (fs::exists(path / name))
        throw RunError(fmt::format("'{}' already holds a run ('{}' is there). Choose another run.output, or remove it.",
                                   directory, name));
    made = first_missing(path);
    fs::create_directories(path);
    write_whole_file((path / "study.cfg").string(), study_file_text(study));
  } catch (const fs::filesystem_error& error) {
    remove_made(made);
    throw RunError(
        fmt::format("the run directory '{}' cannot be made ({}). Choose a place where you may write, by "
                    "run.output.",
                    directory, error.code().message()));
  } catch (const RunError&) {
    remove_made(made);
    throw;
  }
}

void create_directory(const std::string& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (error) throw RunError(fmt::format("'{}' cannot be made ({}). Choose another run.output.", path, error.message()));
}

void write_results(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results) {
  write_then_rename(directory + "/results.h5",
                    [&](const std::string& path) { write_hdf5(path, study, plan, results); });
  write_whole_file(directory + "/results.csv", csv_text(iteration_table(plan, results.records, results.messages)));
}

void write_whole_file(const std::string& path, const std::string& text) {
  write_then_rename(path, [&](const std::string& temporary) {
    OutputFile file(temporary);
    file.write(text);
    file.sync_and_close();
  });
}

}  // namespace sheaf
