// The study stored in the run directory that a job may join.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "commands/train/array_slice.hpp"
#include "commands/train/run_request.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Whether the job joins the run that is in the directory; it begins one otherwise. Local.
bool joins_run(const std::string& directory, const RunRequest& request, const ArraySlice& slice);

/// Throws UsageError with the keys that decide results and differ. `study`: settled.
void require_same_study(const std::string& directory, const Study& study, const Study& stored);

/// The study of the run that the job joins, on every rank; none when it begins one. Throws AgreedError as
/// RunReader::study and require_same_study. Warns if results may differ by rounding. Collective over world.
std::optional<Study> find_stored_study(const Study& asked, const RunRequest& request, const ArraySlice& slice,
                                       const Communicator& world);

}  // namespace sheaf
