// The keys whose `auto` follows from the data file and the other keys. They are settled before a plan is made, because
// they decide what is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/file_schema.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Studies with more iterations do not record curves and models of their iterations, and those with more repeats do not
/// hold out rows, unless the keys are set.
inline constexpr std::int64_t max_recorded_iterations = 1000;

/// Replaces `auto` in data.groups, data.folds, data.time, data.task, data.normalize, data.normalize_targets,
/// data.validation, model.kind, model.hidden, model.channels, train.loss, train.epochs, train.learning_rate,
/// train.patience, train.best_weights, search.method, search.batch and run.models. A searched key, and a default that
/// depends on one (study/key_defaults), stays. Given folds of the file set search.folds. `file`: schema of the data
/// file; nullopt for synthetic data. Pure.
Study with_data_defaults(Study study, const std::optional<FileSchema>& file);

/// The values of `settled` that differ from `requested` and are not none or false, "data.task = regression, train.loss
/// = mse"; empty if there are no such values. Pure.
std::string data_defaults_text(const Study& requested, const Study& settled);

/// Applies with_start_trials() (start_trials.hpp) and with_data_defaults(), for the data file of the study, and checks
/// the result. Logs what was chosen. Throws AgreedError. Collective over world.
Study settle_data_defaults(const Study& requested, const Communicator& world);

}  // namespace sheaf
