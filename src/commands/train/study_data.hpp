// A study's data and plan, loaded and checked against each other before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/splits.hpp"
#include "data/stream/stream.hpp"
#include "engines/network_check.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Shared by all lanes of a rank.
struct StudyData {
  std::optional<DataSet> data;     ///< none when each iteration draws its own; without features when they are streamed
  std::unique_ptr<Splits> splits;  ///< of `data`
  std::unique_ptr<Stream> stream;  ///< of the features of a file larger than memory
  DataShape shape;
  NetworkSizes networks;
};

/// Bytes of a row of the file in memory, its targets and weight included. Pure.
std::int64_t row_bytes(const FileSchema& file, Task task);

/// The schema of the study's data file; none: its data are synthetic. Throws on every rank alike. Collective over
/// world.
std::optional<FileSchema> agree_on_data(const Study& study, const Communicator& world);

/// Loads or draws the study's data, makes its splits, and checks that every trial's network fits. Throws on every rank
/// alike. A file is read by as many threads as `placement` has cores, before the training or while it lasts. Collective
/// over world; `node` shares memory. The result dies on
/// all ranks of a node alike. `study`: with data.mode settled; `file`: of agree_on_data().
StudyData prepare_study_data(const Study& study, const Plan& plan, const std::optional<FileSchema>& file,
                             const Placement& placement, const Communicator& world, const Communicator& node);

}  // namespace sheaf
