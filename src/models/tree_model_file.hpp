// Model files of boosted trees: XGBoost's JSON format, which Python's xgboost reads, with the description of the model
// as an attribute of the booster.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/saved_model.hpp"

namespace sheaf {

/// The attribute with model_text().
constexpr const char* tree_model_attribute = "sheaf";

/// Whether the content of a file begins as JSON. Pure.
bool is_tree_model(std::string_view content);

/// Parses a model file. SavedModel::network has the whole content as trees. Returns nullopt if it has no description.
/// Throws RunError, with `path`, if the content is damaged: if it is not JSON, or if the trees have nodes, features or
/// categories that do not exist, which XGBoost does not check. Pure.
std::optional<SavedModel> parse_tree_model(std::string content, const std::string& path);

/// The part of a model that predicts, as text, for comparisons. `content`: that of a file or NetworkState::trees.
/// Throws RunError if it is not a model of trees. Pure.
std::string trees_text(const std::string& content);

}  // namespace sheaf
