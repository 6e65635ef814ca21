// Model files of boosted trees: XGBoost's JSON format, which Python's xgboost reads, with the description of the model
// as an attribute of the booster.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "data/target_scaling.hpp"
#include "models/saved_model.hpp"
#include "study/losses.hpp"

namespace sheaf {

/// The attributes with attribute_text(model_text()) and tree_checksum().
constexpr const char* tree_model_attribute = "sheaf";
constexpr const char* tree_checksum_attribute = "sheaf_checksum";

/// A text as XGBoost's JSON can store it: backslashes, control characters except line ends, and percent signs become
/// %XX.
std::string attribute_text(const std::string& text);

/// The number of outputs that the trees have for each row: one for two classes, which have two outputs in Sheaf. Pure.
constexpr std::int64_t tree_outputs(LossKind loss, std::int64_t outputs) {
  return loss == LossKind::cross_entropy && outputs == 2 ? 1 : outputs;
}

/// Whether the content of a file begins as JSON. Pure.
bool is_tree_model(std::string_view content);

/// Parses a model file. SavedModel::network has the whole content as trees, written anew, so that XGBoost reads what
/// was checked. Throws RunError, with `path`, if the content is damaged or has no description: if it is not JSON, if
/// its checksum is another one, or if the trees have nodes, columns or categories that do not exist, which XGBoost does
/// not check. Pure.
SavedModel parse_tree_model(const std::string& content, const std::string& path);

/// The error of a model file that XGBoost refuses.
RunError damaged_tree_model(const std::string& path, const std::string& problem);

/// The checksum of what predicts in a model: its trees, objective and parameters, as text. `content`: that of a file or
/// NetworkState::trees. Throws RunError if it is not a model of trees. Pure.
std::string tree_checksum(const std::string& content);

/// `trees`, NetworkState::trees of a training, with these attributes of the booster, names and texts that
/// attribute_text() allows. The text is changed only there: XGBoost would need seconds to read and write many large
/// trees again. Throws RunError if it has attributes or is not a model of trees. Pure.
std::string with_attributes(const std::string& trees,
                            const std::vector<std::pair<std::string, std::string>>& attributes);

/// The trees of a regression that were grown on scaled targets, for targets in their units. Pure.
std::string trees_in_target_units(const std::string& trees, const TargetScaling& scaling);

}  // namespace sheaf
