// The cost of a study, from the estimates of its trials. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "commands/train/job_shape.hpp"
#include "parallel/devices/lane_device.hpp"
#include "runs/results/run_results.hpp"
#include "search/searcher.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

struct PlanCost {
  double iterations = 0;         ///< whole ones, with the refit: those of stages with fewer epochs count in part
  double mean_flops = 0;         ///< per iteration
  double most_memory_bytes = 0;  ///< of the trials, per lane
  double mean_checkpoint_bytes = 0;
  bool is_known = true;  ///< whether the arithmetic of all trials is known
  JobWork work;
};

using EstimateOfTrial = std::function<TrialEstimate(const Trial&)>;

/// `sizes`: those of the search's stages. `devices`: see JobFacts; one of the engines of each trial trains on each of
/// them.
PlanCost plan_cost(const Study& study, const Plan& plan, const std::vector<StageSize>& sizes,
                   const std::vector<LaneDevice>& devices, const EngineOfTrial& engine_of_trial,
                   const EstimateOfTrial& estimate_of);

/// How long the training of a study takes in a job.
struct TrainingTime {
  double expected = 0;  ///< seconds, an order-of-magnitude estimate
  double at_most = 0;   ///< seconds that are needed with a margin for the estimate
};

/// The time of the training in a job of this shape; nullopt if the cost or the number of trials is not known before and
/// there is no search.time.
std::optional<TrainingTime> training_time(const Study& study, const PlanCost& cost, const JobShape& shape);

}  // namespace sheaf
