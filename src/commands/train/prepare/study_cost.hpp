// What the trainings of a study cost, estimated before they begin. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commands/train/prepare/prepared_study.hpp"
#include "search/searcher.hpp"
#include "study/plan.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// How long the lanes of a job need for a mean iteration.
struct IterationSeconds {
  std::int64_t gpu_lanes = 0, core_lanes = 0;
  double on_gpu = 0, on_core = 0;  ///< seconds
};

struct StudyCost {
  double flops = 0;             ///< of all iterations
  double memory_bytes = 0;      ///< per lane: the largest of all trials
  double checkpoint_bytes = 0;  ///< of an iteration: the mean of all trials
  double iterations = 0;        ///< whole ones: those of stages with fewer epochs count in part; with the refit
  IterationSeconds lanes{};     ///< of this job
  double longest_seconds = 0;   ///< of an iteration in one of its lanes
  std::optional<double>
      seconds{};  ///< of a job with these lanes, by EngineEntry::expected_seconds: an order of magnitude,
                  ///< without validation. Nothing if the number of trials or a network is not known
};

/// estimate_trial() with the data of the study.
TrialEstimate estimate_of(const PreparedStudy& prepared, const Trial& trial);

/// `plan`: with its first stage. `sizes`: of all stages (Searcher::sizes). For rank 0.
StudyCost study_cost(const PreparedStudy& prepared, const Plan& plan, const std::vector<StageSize>& sizes);

/// How long the lanes need for `iterations`, if all of them always have work. With fewer iterations than lanes, the
/// fastest lanes train.
double expected_seconds(const IterationSeconds& lanes, double iterations);

}  // namespace sheaf
