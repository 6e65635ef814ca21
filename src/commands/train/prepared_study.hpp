// The steps that run, resume and plan share: all checks before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "commands/train/settle_study.hpp"
#include "commands/train/study_data.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/devices/rank_info.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/results/run_results.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

struct PreparedStudy {
  Study study;                    ///< settled
  Placement placement;            ///< of this rank
  JobFacts facts;                 ///< that settled it
  std::vector<RankInfo> ranks;    ///< in rank order
  EngineOfTrial engine_of_trial;  ///< with the reasons that settled it; uses the plan
  StudyData data;
};

/// Called on every rank before data are read, with all but these. Local; may throw.
using BeforeData = std::function<void(const PreparedStudy&)>;

/// Places the ranks, settles the study, chooses engines, loads the data and checks them against the plan. `joins`: the
/// study has the stored choices of a run that is there already. Throws the same on every rank. Collective over world,
/// of which `node` is a part.
PreparedStudy prepare_study(const Study& study, const Plan& plan, bool joins, const BeforeData& before_data,
                            const Communicator& world, const Communicator& node);

}  // namespace sheaf
