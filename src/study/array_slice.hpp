// The part of a study's iterations that a task of a job array trains. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <cstdint>

#include "core/index_range.hpp"

namespace sheaf {

/// The iterations n with n mod tasks == task. The iterations of a trial have consecutive numbers, so every task gets
/// some iterations of the expensive trials. The iterations of a slice have consecutive indices, so that a range of
/// indices describes any number of them.
struct ArraySlice {
  std::int64_t task = 0;
  std::int64_t tasks = 1;
  std::int64_t first_id = 0;  ///< with step > 0: task k has the id first_id + k * step in the Slurm array
  std::int64_t step = 0;      ///< 0: the slice was not selected by Slurm's variables

  /// Whether this job trains the whole study.
  bool is_whole() const { return tasks == 1; }
  bool has(std::int64_t iteration) const { return iteration % tasks == task; }

  /// The iteration with an index in the slice, and the index of an iteration of the slice. In a whole study, they are
  /// equal.
  std::int64_t iteration(std::int64_t index) const { return task + index * tasks; }
  std::int64_t index(std::int64_t iteration) const {
    assert(has(iteration));
    return iteration / tasks;
  }

  /// The indices of those of `iterations` that belong to the slice, and their number.
  IndexRange indices(IndexRange iterations) const {
    return {count_below(iterations.begin), count_below(iterations.end)};
  }
  std::int64_t count(IndexRange iterations) const { return indices(iterations).count(); }

 private:
  std::int64_t count_below(std::int64_t end) const { return (end - task + tasks - 1) / tasks; }
};

}  // namespace sheaf
