// Identifies the data of a run, so that it is resumed only with the same data.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "commands/train/prepare/prepared_study.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct DataIdentity {
  std::string content;  ///< of the values and their description; results belong to it
  std::string files;    ///< names, sizes and times of the files; empty for synthetic data
};

/// Identifies the data by their content. Streamed data are read for that, unless a journal in `directory` (nullopt: a
/// new run) has recorded the content of the same files, with the same sizes and times. Throws AgreedError. Collective
/// over world, of which `node` is a part.
DataIdentity identify_data(const PreparedStudy& prepared, const std::optional<std::string>& directory,
                           const Communicator& world, const Communicator& node);

}  // namespace sheaf
