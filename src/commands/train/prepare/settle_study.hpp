// Settles a study: resolves data.mode, data.channels, run.curves, run.predictions, search.ensemble, run.engine and
// run.stack = auto to values. This happens once, when the run is opened. The values are stored in the run, and later
// jobs use them on any machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/prepare/stack_plan.hpp"
#include "data/file_schema.hpp"
#include "engines/engine_choice.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/lane_device.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/plan.hpp"
#include "study/settled_study.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// Facts about the data and the machines of a job, by which a study is settled.
struct JobFacts {
  std::vector<LaneDevice> devices;  ///< one of each kind of lanes in the job, GPU first
  DataShape shape;                  ///< of the data; may assume a number of classes that is not known yet
  double gpu_speedup = no_gpu;      ///< for the trials with has_core_engine(), if a rank may use a GPU
  std::int64_t data_bytes = 0;      ///< size of the rows of all files in memory; 0 for synthetic data
  std::int64_t node_bytes = 0;      ///< the smallest memory that any rank may use
  RowLayout layout;                 ///< how the rows of the data are seen
  RowCounts rows{};                 ///< of the data
  std::int64_t training_rows = 0;   ///< training_rows_per_iteration()
  GpuFacts gpus{};                  ///< those that the job may use
};

/// GpuSpeedup of the plan's trials with has_core_engine(); no_gpu if there are none. `lanes`: number of lanes of a rank
/// with a GPU if it trains on its cores. `ranks`: number of ranks in the job. `stack`: stack_plan(). Pure.
double expected_gpu_speedup(const Plan& plan, const DataShape& shape, std::int64_t training_rows, std::int64_t lanes,
                            std::int64_t ranks, const StackPlan& stack = {});

/// The settled study. Pure.
SettledStudy settled_study(Study study, const Plan& plan, const JobFacts& facts);

/// Throws if the job cannot train the settled study: the errors of require_engine(), UsageError if an ensemble of its
/// trials is requested and cannot be selected, and RunError if the data do not fit into memory. Pure.
void require_trainable(const SettledStudy& settled, const Plan& plan, const JobFacts& facts);

/// `requested`, with each `auto` of a key that affects results, and of run.models, and the directory of search.start
/// replaced by the value in the stored study of a run. Pure.
Study with_stored_choices(Study requested, const SettledStudy& stored);

/// A settled study and the devices of this rank.
struct PlacedStudy {
  SettledStudy study;
  Placement placement;
  JobFacts facts;
};

/// Places the ranks and settles the study. If the settled study does not use GPUs, ranks with a GPU get one lane per
/// core. `file`: schema of the data file, if the study has one. Throws the errors of require_trainable,
/// require_enough_rows, place_rank and, for models of images, require_certain_layout as AgreedError. Collective over
/// world, of which `node` is a part.
PlacedStudy place_and_settle(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                             const Communicator& world, const Communicator& node);

/// A note if the predictions of a data file in memory are not kept because they are too large; otherwise empty. Pure.
std::string note_on_predictions(const SettledStudy& settled, const JobFacts& facts);

/// A sentence for each key that has no effect because no rank trains on a GPU. Pure.
std::vector<std::string> ineffective_gpu_keys(const RunOptions& run, const JobFacts& facts);

/// A note if a job with GPUs trains some models on CPU cores, with the reason; otherwise empty. Pure.
std::string note_on_gpus(const SettledStudy& settled, const Plan& plan, const JobFacts& facts);

/// A note if `lanes` are more than the trainings that may go on at the same time; otherwise empty. Pure.
std::string note_on_batch(const Study& study, std::int64_t lanes);

}  // namespace sheaf
