// The keys whose `auto` follows from the data file and the other keys. They are settled before a plan is made, because
// they decide what is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "data/file_schema.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Replaces `auto` in all keys but data.mode, data.channels, run.curves and run.engine, which settle_study resolves,
/// and keys of [run] that concern a single job. A default that depends on a searched key stays (study/key_defaults).
/// `file`: schema of the data file; nullopt for synthetic data. Pure.
Study with_data_defaults(Study study, const std::optional<FileSchema>& file);

/// The values of `settled` that differ from `requested`, "data.task = regression, train.loss = mse"; empty if there are
/// none. Pure.
std::string data_defaults_text(const Study& requested, const Study& settled);

/// Replaces them according to the study's file and checks the result. Logs what was chosen. Throws AgreedError.
/// Collective over world.
Study settle_data_defaults(const Study& study, const Communicator& world);

}  // namespace sheaf
