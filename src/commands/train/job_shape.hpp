// The Slurm job for a study on machines like this one: its size, and how long it may take. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/prepare/study_cost.hpp"
#include "study/plan.hpp"
#include "study/run_options.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The machines of a job, all of the same kind.
struct MachineFacts {
  std::int64_t hosts = 1;
  std::int64_t cores = 1;    ///< per host
  std::int64_t sockets = 1;  ///< per host; 0: unknown
  std::int64_t gpus = 0;     ///< per host, if the study is trained on them
};

/// The size of a job: one rank per GPU, or without GPUs one rank per socket.
struct JobShape {
  std::int64_t nodes = 1;
  std::int64_t tasks_per_node = 1;
  std::int64_t cpus_per_task = 1;
  std::int64_t gpus_per_node = 0;
  std::int64_t gpu_lanes = 0;   ///< of all ranks
  std::int64_t core_lanes = 0;  ///< of all ranks
};

/// The shape of a job that uses the machines, but no more cores and GPUs than `iterations`, of which each lane trains
/// one at a time.
JobShape job_shape(const MachineFacts& machine, const RunOptions& run, std::int64_t iterations);

/// How long the training of a study takes in a job.
struct TrainingTime {
  double expected = 0;  ///< seconds, an order-of-magnitude estimate
  double at_most = 0;   ///< seconds that are needed with a margin for the estimate
};

/// The time of the training in a job of this shape, which has the kinds of lanes of the job whose cost is given;
/// nullopt if the cost or the number of trials is not known before and there is no search.time.
std::optional<TrainingTime> training_time(const Study& study, const StudyCost& cost, const JobShape& shape);

/// The keys of a study by which trainings or the search may end early, so that an estimate is an upper bound.
std::vector<std::string> early_ends(const Study& study, const Plan& plan);

/// The time limit to request for a job whose training takes at most `seconds`, in seconds: with time to read data and
/// to write results, rounded up to a number that people would write.
std::int64_t requested_seconds(double seconds);

/// "00:10:00" or "2-12:00:00", as sbatch --time reads it.
std::string slurm_time(std::int64_t seconds);

}  // namespace sheaf
