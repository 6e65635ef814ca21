// The steps that run, resume and plan have in common: all checks before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "commands/train/prepare/settle_study.hpp"
#include "commands/train/prepare/study_data.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/devices/rank_info.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/results/run_results.hpp"
#include "study/plan.hpp"
#include "study/settled_study.hpp"

namespace sheaf {

struct PreparedStudy {
  SettledStudy study;
  Placement placement;               ///< of this rank
  JobFacts facts;                    ///< by which it was settled
  RankTable ranks{};                 ///< on rank 0; empty on other ranks
  std::int64_t gpu_lanes = 0;        ///< of all ranks
  EngineOfTrial engine_of_trial{};   ///< with the reasons for the choice
  std::optional<FileSchema> file{};  ///< of the data file; nullopt for synthetic data
  StudyData data{};
};

/// Called on every rank before data are read; `data` is not set yet. Local; may throw.
using BeforeData = std::function<void(const PreparedStudy&)>;

/// Places the ranks, settles the study, chooses engines, loads the data and checks them against the plan. `joins`:
/// whether the study has the stored choices of an existing run. Throws AgreedError. Collective over world, of which
/// `node` is a part.
PreparedStudy prepare_study(const Study& study, const Plan& plan, bool joins, const BeforeData& before_data,
                            const Communicator& world, const Communicator& node);

}  // namespace sheaf
