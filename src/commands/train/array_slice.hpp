// Which iterations of a study each task of a job array trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The iterations n with n mod tasks == task. The iterations of a trial have consecutive numbers, so every task gets
/// some iterations of the expensive trials.
struct ArraySlice {
  std::int64_t task = 0;
  std::int64_t tasks = 1;

  /// Whether this job trains the whole study.
  bool is_whole() const { return tasks == 1; }
  bool has(std::int64_t iteration) const { return iteration % tasks == task; }
  /// How many of `iterations` belong to the slice.
  std::int64_t count(IndexRange iterations) const {
    return count_below(iterations.end) - count_below(iterations.begin);
  }

 private:
  std::int64_t count_below(std::int64_t end) const { return (end - task + tasks - 1) / tasks; }
};

/// The values of the variables SLURM_ARRAY_TASK_*; empty if not set.
struct SlurmArray {
  std::string id, min, max, count, step;
};
/// Reads the environment. Local.
SlurmArray slurm_array();

/// The slice of a job by run.array. Throws UsageError if Slurm's variables select it and the tasks of the Slurm array
/// are not numbered evenly. Pure.
ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm);

/// The part of `iterations` that belongs to the slice. Both are ascending ranges. Pure.
std::vector<IndexRange> slice_of(const std::vector<IndexRange>& iterations, const ArraySlice& slice);

}  // namespace sheaf
