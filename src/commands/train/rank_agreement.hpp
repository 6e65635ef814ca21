// Whether all ranks of a job are about to do the same.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_line.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The first rank whose text differs from what most have, in a sentence; empty when all are the same. `what` names the
/// thing, `advice` ends the sentence. Pure.
std::string odd_rank_problem(const std::string& what, const std::vector<std::string>& texts, const std::string& advice);

/// Throws AgreedError unless all ranks have the same program, study, data file and model files. Collective over world.
void require_same_on_all_ranks(const Study& study, const ModelFingerprints& models, const Communicator& world);

}  // namespace sheaf
