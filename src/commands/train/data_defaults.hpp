// The keys whose `auto` follows from the data file alone. They are settled before a plan is made, because they decide
// what is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "data/file_schema.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Replaces data.task = auto and train.loss = auto. `file`: schema of the data file; nullopt for synthetic data. Pure.
Study with_data_defaults(Study study, const std::optional<FileSchema>& file);

/// Whether with_data_defaults() would replace a value. Pure.
bool needs_data_defaults(const Study& study);

/// The values that were replaced, "data.task = regression, train.loss = mse"; empty if there are none. Pure.
std::string data_defaults_text(const Study& requested, const Study& settled);

/// Replaces them according to the study's file and checks the result. Logs what was chosen. Throws AgreedError.
/// Collective over world.
Study settle_data_defaults(const Study& study, const Communicator& world);

}  // namespace sheaf
