// Chooses the slice of a study that a task of a job array trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "study/array_slice.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The values of the variables SLURM_ARRAY_TASK_*; empty if not set.
struct SlurmArray {
  std::string id, min, max, count, step;
};
/// Reads the environment. Local.
SlurmArray slurm_array();

/// The slice of a job by run.array. Throws UsageError if Slurm's variables select it and the tasks of the Slurm array
/// are not numbered evenly. Pure.
ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm);

}  // namespace sheaf
