// Which of a study's iterations the tasks of a job array take.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Of the iterations numbered n, those with n mod tasks == task: as trials are numbered one after the other, every
/// task has its part of the dear ones.
struct ArraySlice {
  std::int64_t task = 0;
  std::int64_t tasks = 1;

  /// The whole study is this job's.
  bool is_whole() const { return tasks == 1; }
  bool has(std::int64_t iteration) const { return iteration % tasks == task; }
  /// How many of some iterations.
  std::int64_t count(IndexRange iterations) const {
    return count_below(iterations.end) - count_below(iterations.begin);
  }

 private:
  std::int64_t count_below(std::int64_t end) const { return (end - task + tasks - 1) / tasks; }
};

/// What Slurm's variables SLURM_ARRAY_TASK_* say; empty: not set.
struct SlurmArray {
  std::string id, min, max, count, step;
};
/// As the environment has it. Local.
SlurmArray slurm_array();

/// The slice that a job is asked to take. Throws UsageError when it is to be told by Slurm, and the array's tasks are
/// not numbered evenly. Pure.
ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm);

/// The iterations of ascending ranges that are the slice's, as ascending ranges. Pure.
std::vector<IndexRange> slice_of(const std::vector<IndexRange>& iterations, const ArraySlice& slice);

}  // namespace sheaf
