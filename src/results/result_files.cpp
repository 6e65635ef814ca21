// SPDX-License-Identifier: MIT
#include "results/result_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/error.hpp"
#include "core/replace_file.hpp"
#include "hdf5/table_writer.hpp"
#include "options/settings.hpp"
#include "options/stored_study.hpp"
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

// A directory that cannot be looked into has no file; what is written to it will say why.
bool is_there(const std::string& directory, const std::string& name) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / name, ignored);
}

}  // namespace

std::string run_directory(const Study& study) {
  return study.run.output.empty() ? "runs/" + study.study.name : study.run.output;
}

bool holds_run(const std::string& directory) {
  return std::any_of(std::begin(run_files), std::end(run_files),
                     [&](const char* name) { return is_there(directory, name); });
}

bool holds_results(const std::string& directory) {
  return is_there(directory, "results.csv") && is_there(directory, "results.h5");
}

void require_no_run(const std::string& directory) {
  require(!is_there(directory, "study.cfg") || holds_results(directory),
          fmt::format("'{}' already holds a run ('study.cfg' is there, its results are not). Go on with it: "
                      "sheaf resume {}, choose another run.output, or remove it.",
                      directory, directory));
  for (const char* name : run_files)
    require(!is_there(directory, name),
            fmt::format("'{}' already holds a run ('{}' is there). Choose another run.output, or remove it.", directory,
                        name));
}

void write_study(const std::string& directory, const Study& study) {
  write_whole_file(directory + "/study.cfg", stored_study_text(study));
}

void write_results(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results) {
  write_then_rename(directory + "/results.h5",
                    [&](const std::string& path) { write_hdf5(path, study, plan, results); });
  write_whole_file(directory + "/results.csv", csv_text(iteration_table(plan, results.records, results.messages)));
}

}  // namespace sheaf
