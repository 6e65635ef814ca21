// Loads the data of a study and checks them against the plan, before anything is trained or written.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "data/dataset.hpp"
#include "data/file_schema.hpp"
#include "data/row_counts.hpp"
#include "data/splits.hpp"
#include "data/stream/stream.hpp"
#include "engines/network_check.hpp"
#include "models/network_layout.hpp"
#include "parallel/devices/placement.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"
#include "study/plan.hpp"

namespace sheaf {

class SettledStudy;
struct Study;

/// The data of a rank, shared by its lanes.
struct StudyData {
  /// The memory of `data` and of its marks. Freeing it is collective. Copies of `data` do not own it, because the
  /// engine of a failed GPU is never destroyed.
  std::array<std::shared_ptr<void>, 2> memory;
  std::optional<DataSet> data;     ///< none if each iteration draws its own; without features if they are streamed
  std::unique_ptr<Splits> splits;  ///< of `data`
  std::unique_ptr<Stream> stream;  ///< features of a file larger than memory
  DataShape shape;
  std::optional<FileSchema> file;  ///< of the data file, with the offsets that are subtracted; nullopt: synthetic data
  DataDescription description;     ///< of the file; empty for synthetic data
  NetworkSizes networks;
};

/// Bytes per row of the files in memory, including targets and weight. Pure.
std::int64_t row_bytes(const FileSchema& file, Task task);

/// The rows of the files, or of synthetic data. Pure.
RowCounts expected_rows(const DataOptions& options, const std::optional<FileSchema>& file);

/// The shape of the data before they are read; assumes ten classes if their number is not known. `options`: with the
/// task settled. Pure.
DataShape expected_shape(const DataOptions& options, const std::optional<FileSchema>& file);

/// The schema of the study's data file, with those of its held-out files; nothing for synthetic data. With the loss
/// quantile, the only target column is copied to one for each quantile. Throws AgreedError. Collective over world.
std::optional<FileSchema> agree_on_data(const Study& study, const Communicator& world);

/// Loads or draws the study's data, makes the splits, and checks that the network of every trial fits the data. A file
/// is read by one thread per core of `placement`, before or during the training.
/// `file`: from agree_on_data(). The ranks of `node` share memory and must destroy the result together. Throws
/// AgreedError. Collective over world.
StudyData prepare_study_data(const SettledStudy& study, const Plan& plan, std::optional<FileSchema> file,
                             const Placement& placement, const Communicator& world, const Communicator& node);

}  // namespace sheaf
