// The steps that run, resume and verify have in common before anything is trained: all checks of the study, its files
// and the ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "commands/train/prepare/prepared_study.hpp"
#include "engines/used_engines.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_line.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

/// A study that this job can train.
struct PreparedTraining {
  PreparedStudy prepared;
  UsedEngines engines;   ///< that train any trial; their libraries are loaded
  JournalHeader header;  ///< the identity of the results that this rank trains
};

/// prepare_study(), and the identity of its data and model files. Loads the libraries of its engines. `plan`: with its
/// first stage. `directory`: of the run whose stored choices the study has; nullopt: the job begins a run. Throws
/// AgreedError, also if the study or its files differ between ranks or the job was interrupted. Collective over world,
/// of which `node` is a part.
PreparedTraining prepare_training(const Study& study, const Plan& plan, const std::optional<std::string>& directory,
                                  const Communicator& world, const Communicator& node);

}  // namespace sheaf
