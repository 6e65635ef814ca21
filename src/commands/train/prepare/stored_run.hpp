// The study stored in the run directory that a job may join.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "commands/train/prepare/array_slice.hpp"
#include "commands/train/prepare/run_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/run_reader.hpp"
#include "study/settled_study.hpp"

namespace sheaf {

/// Whether the job joins an existing run in the directory. Otherwise it begins a run. Local.
bool joins_run(const std::string& directory, const RunRequest& request, const ArraySlice& slice);

/// Throws UsageError with the keys that affect results and differ. Pure.
void require_same_keys(const std::string& directory, const Study& study, const Study& stored);

/// As require_same_keys(). Also refuses a smaller search.patience, trials that are extended together with repeats, and
/// fewer iterations than the run has trained. `study`: settled.
void require_same_study(const std::string& directory, const Study& study, const Study& stored);

/// Throws UsageError if the run has results of iterations that `study` does not have. Both have the same values of all
/// keys that affect results, except the number of iterations. Pure.
void require_all_results(const Study& study, const RunState& run);

/// The number of trials up to the last one of which the run has a result, or another record. Pure.
std::int64_t known_trials(const RunState& run);

/// Throws UsageError if `study`, an extension of the run with other lists or ranges, has no new trials. Pure.
void require_new_trials(const Study& study, const RunState& run);

/// Throws UsageError if search.time has ended the search of the run and `study`, which extends it, has the same. Pure.
void require_time_left(const Study& study, const RunState& run);

/// The run that a job joins.
struct StoredRun {
  SettledStudy study;
  std::int64_t known_trials = 0;  ///< if the job extends the run with other lists or ranges
};

/// The requested study as that of a job which joins the run: with_stored_choices(), extended(). Pure.
Study joined_study(const Study& requested, const StoredRun& stored);

/// The run that the job joins; nothing if the job begins a run. Warns if results may differ by rounding. Throws the
/// errors of RunReader::study, require_same_study, require_new_trials and require_time_left as AgreedError. Collective
/// over world.
std::optional<StoredRun> find_stored_run(const Study& requested, const RunRequest& request, const ArraySlice& slice,
                                         const Communicator& world);

/// Throws UsageError if another job has trained trials of the run since `study` was extended. For rank 0, under the
/// lock.
void require_same_extension(const std::string& directory, const Study& study, const Study& stored);

/// The warning that a resumed run saves models only of its remaining iterations, if run.models differs from that of the
/// stored study; otherwise empty. `finished` and `left`: its iterations with and without a result. Throws UsageError if
/// none are left, so that run.models has no effect. Pure.
std::string models_warning(const Study& study, const Study& stored, std::int64_t finished, std::int64_t left);

}  // namespace sheaf
