// Checks that all ranks of a job have the same program, study and files.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_line.hpp"

namespace sheaf {

struct Study;

/// A message about the first rank whose text differs from the most frequent one; empty if all texts are equal. `what`:
/// name of the compared thing. `advice`: last sentence of the message. Pure.
std::string odd_rank_problem(const std::string& what, const std::vector<std::string>& texts, const std::string& advice);

/// Throws AgreedError unless all ranks have the same program and study. Call it before the study decides about
/// collective calls. Collective over world.
void require_same_study_on_all_ranks(const Study& study, const Communicator& world);

/// Throws AgreedError unless all ranks have the same data file and model files. `study` and the paths in `models` must
/// be the same on all ranks. Collective over world.
void require_same_files_on_all_ranks(const Study& study, const ModelFingerprints& models, const Communicator& world);

/// Throws AgreedError unless all ranks have the same version of the library with this name. Collective over world.
void require_same_library_on_all_ranks(const std::string& name, const std::string& version, const Communicator& world);

}  // namespace sheaf
