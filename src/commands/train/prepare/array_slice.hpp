// Chooses the slice of a study that a task of a job array trains.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "study/array_slice.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// The values of the variables SLURM_ARRAY_TASK_*; empty if not set.
struct SlurmArray {
  std::string id, min, max, count, step;
};
/// Reads the environment. Local.
SlurmArray slurm_array();

/// How a Slurm array numbers the tasks of a run. It is stored in the run directory, so that a task that is submitted
/// again, alone or with others, trains its own slice: Slurm then counts only the tasks of that submission.
struct ArrayNumbering {
  std::int64_t first_id = 0, step = 1, tasks = 1;
};

/// "first = 1\nstep = 1\ntasks = 10\n". Pure.
std::string numbering_text(const ArrayNumbering& numbering);
/// Parses such a text; nothing if it is not valid. Pure.
std::optional<ArrayNumbering> parse_numbering(const std::string& text);

/// The slice of a job by run.array. If Slurm's variables select it, and all tasks of the array are among those of
/// `stored`, the numbering is `stored`. Throws UsageError if it is not and the tasks are not numbered evenly. Pure.
ArraySlice choose_slice(const ArrayTask& option, const SlurmArray& slurm, const std::optional<ArrayNumbering>& stored);

}  // namespace sheaf
