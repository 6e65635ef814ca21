// A study's data and plan, loaded and checked against each other before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataset/dataset.hpp"
#include "dataset/splits.hpp"
#include "dataset/stream.hpp"
#include "device/placement.hpp"
#include "mpi/communicator.hpp"
#include "options/study.hpp"
#include "plan/network_layout.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Shared by all lanes of a rank.
struct StudyData {
  std::optional<DataSet> data;     ///< none when each iteration draws its own; without features when they are streamed
  std::unique_ptr<Splits> splits;  ///< of `data`
  std::unique_ptr<Stream> stream;  ///< of the features of a file larger than memory
  DataShape shape;
  std::vector<std::int64_t> parameter_counts;  ///< of each trial's network
};

/// Loads or draws the study's data, makes its splits, and checks that every trial's network fits. Throws on every rank
/// alike. A file is read by as many threads as `placement` has cores, before the training or while it lasts. Collective
/// over world; `node` shares memory. The result dies on
/// all ranks of a node alike.
StudyData prepare_study_data(const Study& study, const Plan& plan, const Placement& placement,
                             const Communicator& world, const Communicator& node);

}  // namespace sheaf
