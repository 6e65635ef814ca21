// SPDX-License-Identifier: MIT
#include "models/tree_model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "data/column_features.hpp"
#include "models/model_text.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

std::vector<std::int64_t> integers(const Json& json) {
  return json.get<std::vector<std::int64_t>>();
}

// XGBoost writes NaN, which JSON does not have, as the conditions of splits by categories.
std::string with_null_for_nan(const std::string& content) {
  constexpr std::string_view nan = "NaN";
  std::string text;
  text.reserve(content.size() + content.size() / 8);
  bool is_quoted = false;
  for (std::size_t place = 0; place < content.size(); ++place) {
    const char character = content[place];
    if (is_quoted && character == '\\') {
      text.append(content, place++, 2);
      continue;
    }
    if (character == '"') is_quoted = !is_quoted;
    const bool is_nan = !is_quoted && content.compare(place, nan.size(), nan) == 0;
    if (is_nan)
      text += "null";
    else
      text += character;
    if (is_nan) place += nan.size() - 1;
  }
  return text;
}

// XGBoost's parser calls itself for each level, and its models have fewer than ten.
Json parsed(const std::string& content) {
  constexpr int max_nesting = 100;
  return Json::parse(with_null_for_nan(content), [](int depth, Json::parse_event_t, const Json&) {
    require(depth < max_nesting, "it is nested too deeply");
    return true;
  });
}

// Requires that each value is in least..most-1.
void require_range(const std::vector<std::int64_t>& values, std::int64_t least, std::int64_t most, const char* what) {
  for (const std::int64_t value : values)
    require(value >= least && value < most, [&] { return fmt::format("a tree has a {} that does not exist", what); });
}

// Requires that the children of each node follow it, so that every path through the tree ends.
void require_children(const std::vector<std::int64_t>& left, const std::vector<std::int64_t>& right) {
  const auto count = static_cast<std::int64_t>(left.size());
  require(count > 0 && right.size() == left.size(), "a tree has no nodes");
  for (std::int64_t node = 0; node < count; ++node) {
    const std::int64_t a = left[static_cast<std::size_t>(node)], b = right[static_cast<std::size_t>(node)];
    const bool is_leaf = a == -1 && b == -1, is_split = a > node && b > node && a < count && b < count;
    require(is_leaf || is_split, "a tree has a node that does not exist");
  }
}

void require_tree(const Json& tree, const ModelDescription& description, std::int64_t max_categories) {
  const auto left = integers(tree.at("left_children"));
  const auto count = static_cast<std::int64_t>(left.size());
  require_children(left, integers(tree.at("right_children")));
  for (const char* of_nodes : {"split_indices", "split_conditions", "default_left", "split_type"})
    require(static_cast<std::int64_t>(tree.at(of_nodes).size()) == count, "a tree has nodes without a split");
  const auto columns =
      static_cast<std::int64_t>(column_features(description.data.columns, description.shape.features).size());
  require_range(integers(tree.at("split_indices")), 0, columns, "column");
  const auto categories = integers(tree.at("categories"));
  const auto segments = integers(tree.at("categories_segments")), sizes = integers(tree.at("categories_sizes"));
  require_range(categories, 0, max_categories, "category");
  require_range(integers(tree.at("categories_nodes")), 0, count, "node");
  require(segments.size() == sizes.size() && tree.at("categories_nodes").size() == sizes.size(),
          "a tree has categories without a node");
  for (std::size_t split = 0; split < sizes.size(); ++split)
    require(segments[split] >= 0 && sizes[split] >= 0 && sizes[split] <= static_cast<std::int64_t>(categories.size()) &&
                segments[split] <= static_cast<std::int64_t>(categories.size()) - sizes[split],
            "a tree has a category that does not exist");
}

void require_trees(const Json& learner, const ModelDescription& description) {
  const Json& model = learner.at("gradient_booster").at("model");
  const Json& trees = model.at("trees");
  std::int64_t most = 1;
  for (const DataColumn& column : description.data.columns)
    most = std::max(most, static_cast<std::int64_t>(column.categories.size()));
  for (const Json& tree : trees) require_tree(tree, description, most);
  const auto groups = integers(model.at("tree_info"));
  require(groups.size() == trees.size(), "a tree has no output");
  require_range(groups, 0, std::max<std::int64_t>(1, description.shape.outputs), "output");
}

std::optional<SavedModel> parse(std::string content) {
  const Json json = parsed(content);
  const Json& learner = json.at("learner");
  const Json& attributes = learner.at("attributes");
  const auto text = attributes.find(tree_model_attribute);
  if (text == attributes.end()) return std::nullopt;
  SavedModel trained;
  trained.description = parse_model_text(text->get<std::string>());
  require(trained.description.model.kind == ModelKind::boosted_trees, "its description is not that of trees");
  require_trees(learner, trained.description);
  trained.network.trees = std::move(content);
  return trained;
}

}  // namespace

bool is_tree_model(std::string_view content) {
  return !content.empty() && content.front() == '{';
}

std::optional<SavedModel> parse_tree_model(std::string content, const std::string& path) {
  try {
    return parse(std::move(content));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw RunError(fmt::format("model file '{}' is damaged or not a model of boosted trees ({}). Save the model again.",
                               path, printable(error.what())));
  }
}

std::string trees_text(const std::string& content) {
  try {
    const Json json = parsed(content);
    const Json& learner = json.at("learner");
    return learner.at("gradient_booster").dump() + learner.at("learner_model_param").dump();
  } catch (const Json::exception& error) {
    throw RunError(fmt::format("not a model of boosted trees ({})", error.what()));
  }
}

}  // namespace sheaf
