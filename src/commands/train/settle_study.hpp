// Settles a study: every choice that decides results gets its value. Choices that a study leaves open
// (data.mode = auto, run.engine = auto) are settled once, when the run is opened, and stored with it; every later job
// takes the stored ones, whatever machine it runs on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/file_schema.hpp"
#include "engines/engine_choice.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/lane_device.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/training_cost.hpp"

namespace sheaf {

/// Facts about the machines of a job, by which open choices are settled.
struct JobFacts {
  std::vector<LaneDevice> devices;  ///< one of each kind that lanes of the job have, a GPU first
  DataShape shape;                  ///< of the data; rough where the number of classes is not known yet
  double gpu_speedup = no_gpu;      ///< of the trials with has_core_engine(), where a rank may use a GPU
  std::int64_t data_bytes = 0;      ///< of the data file's rows in memory; 0: the data are synthetic
  std::int64_t node_bytes = 0;      ///< the least memory that any rank may use
};

/// GpuSpeedup of the plan's trials with has_core_engine(); no_gpu if there are none. `lanes`: that a rank with a GPU
/// has if it trains on its cores. `ranks`: of the job, which share the iterations. Pure.
double expected_gpu_speedup(const Study& study, const Plan& plan, const DataShape& shape, std::int64_t lanes,
                            std::int64_t ranks);

/// The study with its open choices settled. Pure.
Study settled_study(Study study, const Plan& plan, const JobFacts& facts);

/// Throws if the job cannot train the settled study: as require_engine(), and RunError for data that do not fit into
/// memory. Pure.
void require_trainable(const Study& settled, const Plan& plan, const JobFacts& facts);

/// `asked` with its open choices taken from the stored study of a run. Pure.
Study with_stored_choices(Study asked, const Study& stored);

/// A settled study, and where this rank trains it.
struct PlacedStudy {
  Study study;
  Placement placement;
  JobFacts facts;
};

/// Places the ranks and settles the study. Ranks that have a GPU get a lane for each core if the settled study does not
/// use it. Throws as require_trainable, require_enough_rows and place_rank. `file`: of the study's data, if they are in
/// one. Collective over world, of which `node` is a part.
PlacedStudy place_and_settle(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                             const Communicator& world, const Communicator& node);

/// A note on the models that a job with GPUs trains on CPU cores, with the reason; empty if there are none. Pure.
std::string note_on_gpus(const Study& settled, const Plan& plan, const JobFacts& facts);

}  // namespace sheaf
