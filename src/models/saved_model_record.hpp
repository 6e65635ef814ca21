// What a model file tells this program beside its TorchScript code, in a member of the archive of its own: so that
// LibTorch need not be loaded to learn what a model is, nor to evaluate one that the native engine runs.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "models/saved_model.hpp"

namespace sheaf {

/// LibTorch's name for the member: `extra/` and the archive's own name stand before it in the file.
constexpr const char* saved_model_record_name = "sheaf";

/// The bytes of the record: description and scaling; of networks of dense layers the parameters, too. Pure.
std::string saved_model_record(const SavedModel& trained);

/// The model of a record. Throws RunError, naming `path`, where it is spoiled or another version's. Pure.
SavedModel parse_saved_model_record(const std::string& record, const std::string& path);

/// The model that a file has a record of; nothing where it has none, or is no archive. Throws RunError when there is no
/// such file, and as parse_saved_model_record(). Local.
std::optional<SavedModel> read_saved_model_record(const std::string& path);

}  // namespace sheaf
