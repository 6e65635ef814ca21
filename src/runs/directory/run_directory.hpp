// The files of a run directory.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sheaf {

class Plan;
class SettledStudy;
struct Study;

/// The directory of the study's run: run.output, or runs/<study.name>.
std::string run_directory(const Study& study);

/// "<run directory>/study.cfg", the study with which the run began.
std::string study_path(const std::string& run_directory);

/// The file of the study that the run has now: study-N.cfg with the largest N if the run was extended or reduced,
/// otherwise study.cfg. Local.
std::string latest_study_path(const std::string& run_directory);

/// The command that continues the run in the directory: "sheaf resume runs/x". Pure.
std::string resume_command_of(const std::string& directory);

/// Whether the directory holds a run, finished or not. Local.
bool holds_run(const std::string& directory);

/// Whether the directory has the result files of all its iterations, not those from before a change of their number.
/// Local.
bool holds_results(const std::string& directory);

/// Throws UsageError if the directory has no study.cfg. Local.
void require_run(const std::string& directory);

/// Throws RunError if the directory holds a run. Local.
void require_no_run(const std::string& directory);

/// Writes the settled study to study.cfg in the directory, which must exist. Throws RunError. Local, for rank 0.
void write_study(const std::string& directory, const SettledStudy& study);

/// Writes the study to study-2.cfg, study-3.cfg, ..., the first one after the latest. Throws RunError. Local, for rank
/// 0.
void write_next_study(const std::string& directory, const SettledStudy& study);

/// Records that the result files, if the directory holds them, have only the first `iterations`. They stay until those
/// of all iterations replace them. To be called before the run gets another number of iterations. Throws RunError.
/// Local, for rank 0.
void keep_earlier_results(const std::string& directory, std::int64_t iterations);

/// The number of iterations in the result files, if they are from before a change of that number; otherwise nothing.
/// Local.
std::optional<std::int64_t> earlier_results(const std::string& directory);

/// Records that the result files have all iterations. Throws RunError. Local, for rank 0.
void forget_earlier_results(const std::string& directory);

/// "<run directory>/models"
std::string models_directory(const std::string& run_directory);

/// The file name of the model of an iteration in the directory models. A refit has its trial in the name: a search that
/// goes on gives its number to another iteration, while the run still predicts with the refit. The ending is
/// model_file_ending(). Pure.
std::string model_name(const Plan& plan, std::int64_t number);

/// "<run directory>/models/best.txt", the list of the files of the best model.
std::string best_model_list(const std::string& run_directory);

/// "<run directory>/models/refit.txt", the list of the files of the refit.
std::string refit_model_list(const std::string& run_directory);

/// "<run directory>/models/ensemble.json", which describes the ensemble of trials.
std::string ensemble_path(const std::string& run_directory);

/// "<run directory>/models/ensemble.pt", its TorchScript file.
std::string ensemble_module_path(const std::string& run_directory);

/// "<run directory>/importance.json", the importance of the features (`sheaf importance --save`).
std::string importance_path(const std::string& run_directory);

/// Removes the unfinished files (UnfinishedFile) of killed jobs, except checkpoints: of models and of the files of the
/// run. Ignores errors. No other job may write into the directory. Local, for rank 0.
void remove_unfinished_files(const std::string& run_directory);

}  // namespace sheaf
