// Plans how many models lanes with a GPU train together (run.stack). Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/network_layout.hpp"
#include "study/plan.hpp"
#include "study/settled_study.hpp"
#include "study/study.hpp"

namespace sheaf {

/// The lanes of a job that train on GPUs.
struct GpuFacts {
  std::int64_t lanes = 0;  ///< of all ranks
  double lane_bytes = 0;   ///< lane_bytes() of the smallest GPU
};

/// How lanes with a GPU could train the models of a study together.
struct StackPlan {
  StackSize size;
  double models = 1;  ///< of the study for each of these lanes, which can train them at the same time
};

/// The memory that the stacks of a lane may use, of a GPU with `gpu_bytes`, which `ranks` ranks with `lanes` lanes each
/// share. Each rank has a copy of the data, of `data_bytes`. Plans use all memory of the GPU, not what is free now, so
/// that they do not depend on who else uses it.
double lane_bytes(double gpu_bytes, std::int64_t ranks, std::int64_t lanes, double data_bytes);

/// How many iterations of a search whose trials depend on earlier results can be trained at the same time; no value for
/// other searches.
std::optional<double> most_at_once(const Study& study);

/// The most models that a stack of the study may train together so that search.time ends the search. If the search has
/// to wait until a trial is complete, the models of this trial advance with their stack: a stack should then not need
/// more than half of search.time, if it has the models of more than one trial. Otherwise max_stack.
std::int64_t most_in_time(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows);

/// The plan for a study whose run.engine is open or settled: with run.stack if it is a number; otherwise with at most
/// so many slots as there are models and as most_in_time() allows, and the memory of the GPUs. Without GPUs, or if the
/// study does not allow stacks, one model at a time. `study`: with a settled data.mode. `training_rows`:
/// training_rows_per_iteration().
StackPlan stack_plan(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows,
                     const GpuFacts& gpus);

/// run.stack of the settled study: that of stack_plan(), with the widest stack of all trials. `study`: with all other
/// keys settled.
StackSize settled_stack(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t training_rows,
                        const GpuFacts& gpus);

/// Throws UsageError if run.stack is a number, and this number of models of a trial does not fit into the memory of the
/// GPUs.
void require_stack_fits(const SettledStudy& settled, const Plan& plan, const DataShape& shape,
                        std::int64_t training_rows, const GpuFacts& gpus);

/// A note on the models that are trained together on GPUs; otherwise empty.
std::string note_on_stacks(const SettledStudy& settled, const GpuFacts& gpus);

}  // namespace sheaf
