// The saved model record: an additional member of a TorchScript archive, with a model's description, scaling and, for
// networks that work on rows (works_on_rows()), parameters. With it, models can be described and, by the native engine,
// evaluated without loading LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/saved_model.hpp"

namespace sheaf {

/// The name of the member as passed to LibTorch, which adds the archive's name and `extra/` in front.
constexpr const char* saved_model_record_name = "sheaf";

/// The bytes of a record in three parts, of which the second is in the SavedModel.
struct SavedModelRecord {
  std::string description;      ///< up to the number of parameters
  std::string_view parameters;  ///< empty unless works_on_rows()
  std::string rest;
};

/// The record of a model, which must outlive it, without a copy of the parameters. Pure.
SavedModelRecord saved_model_record_parts(const SavedModel& trained);

/// The same bytes as a string. Pure.
std::string saved_model_record(const SavedModel& trained);

/// Parses a record. Throws RunError, with `path`, if the record is damaged or from another version. Pure.
SavedModel parse_saved_model_record(const std::string& record, const std::string& path);

/// Reads the record of a model file, or the description and the trees of one with boosted trees
/// (models/tree_model_file). Returns nullopt if the file is neither or was not written by this program. Throws RunError
/// if the file cannot be read, and as parse_saved_model_record(). Local.
std::optional<SavedModel> read_saved_model_record(const std::string& path);

}  // namespace sheaf
