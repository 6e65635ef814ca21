// SPDX-License-Identifier: MIT
#include "models/tree_model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/checksum.hpp"
#include "models/model_text.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

std::vector<std::int64_t> integers(const Json& json) {
  return json.get<std::vector<std::int64_t>>();
}

// `text` with another word outside of quoted texts.
std::string with_word(const std::string& text, std::string_view word, std::string_view other) {
  std::string changed;
  changed.reserve(text.size() + text.size() / 8);
  bool is_quoted = false;
  for (std::size_t place = 0; place < text.size(); ++place) {
    if (is_quoted && text[place] == '\\') {
      changed.append(text, place++, 2);
      continue;
    }
    if (text[place] == '"') is_quoted = !is_quoted;
    const bool is_word = !is_quoted && text.compare(place, word.size(), word) == 0;
    changed += is_word ? other : std::string_view(text).substr(place, 1);
    if (is_word) place += word.size() - 1;
  }
  return changed;
}

// XGBoost writes NaN, which JSON does not have, as the conditions of splits by categories.
std::string xgboost_text(const Json& json) {
  return with_word(json.dump(), "null", "NaN");
}

// XGBoost's parser calls itself for each level, and its models have fewer than ten.
Json parsed(const std::string& content) {
  constexpr int max_nesting = 100;
  return Json::parse(with_word(content, "NaN", "null"), [](int depth, Json::parse_event_t, const Json&) {
    require(depth < max_nesting, "it is nested too deeply");
    return true;
  });
}

// Requires that each value is in least..most-1.
void require_range(const std::vector<std::int64_t>& values, std::int64_t least, std::int64_t most, const char* what) {
  for (const std::int64_t value : values)
    require(value >= least && value < most, [&] { return fmt::format("a tree has a {} that does not exist", what); });
}

// Requires that the children of each node follow it, so that every path through the tree ends, and that each node but
// the first has one parent.
void require_nodes(const Json& tree) {
  constexpr std::int64_t no_parent = 2147483647;
  const auto left = integers(tree.at("left_children")), right = integers(tree.at("right_children"));
  const auto parents = integers(tree.at("parents"));
  const auto count = static_cast<std::int64_t>(left.size());
  require(count > 0 && right.size() == left.size() && parents.size() == left.size(), "a tree has no nodes");
  std::vector<std::int64_t> found(left.size(), no_parent);
  for (std::int64_t node = 0; node < count; ++node) {
    const std::int64_t a = left[static_cast<std::size_t>(node)], b = right[static_cast<std::size_t>(node)];
    const bool is_leaf = a == -1 && b == -1, is_split = a > node && b > node && a < count && b < count && a != b;
    require(is_leaf || is_split, "a tree has a node that does not exist");
    for (const std::int64_t child : {a, b})
      if (is_split) {
        require(found[static_cast<std::size_t>(child)] == no_parent, "a tree has a node with two parents");
        found[static_cast<std::size_t>(child)] = node;
      }
  }
  require(parents == found, "a tree has a node with another parent");
}

void require_categories(const Json& tree, std::int64_t max_categories) {
  const auto categories = integers(tree.at("categories")), nodes = integers(tree.at("categories_nodes"));
  const auto segments = integers(tree.at("categories_segments")), sizes = integers(tree.at("categories_sizes"));
  const auto types = integers(tree.at("split_type"));
  require_range(categories, 0, max_categories, "category");
  require(segments.size() == sizes.size() && nodes.size() == sizes.size(), "a tree has categories without a node");
  for (std::size_t split = 0; split < sizes.size(); ++split)
    require(segments[split] >= 0 && sizes[split] >= 0 && sizes[split] <= static_cast<std::int64_t>(categories.size()) &&
                segments[split] <= static_cast<std::int64_t>(categories.size()) - sizes[split],
            "a tree has a category that does not exist");
  std::vector<std::int64_t> by_categories;
  for (std::size_t node = 0; node < types.size(); ++node)
    if (types[node] != 0) by_categories.push_back(static_cast<std::int64_t>(node));
  require(by_categories == nodes, "a tree has splits by categories without categories");
}

void require_tree(const Json& tree, std::int64_t columns, std::int64_t max_categories) {
  require_nodes(tree);
  const std::size_t count = tree.at("left_children").size();
  for (const char* of_nodes : {"split_indices", "split_conditions", "default_left", "split_type"})
    require(tree.at(of_nodes).size() == count, "a tree has nodes without a split");
  require_range(integers(tree.at("split_indices")), 0, columns, "column");
  require_categories(tree, max_categories);
}

void require_trees(const Json& learner, const ModelDescription& description) {
  const Json& model = learner.at("gradient_booster").at("model");
  const Json& trees = model.at("trees");
  std::int64_t most = 1;
  for (const DataColumn& column : description.data.columns)
    most = std::max(most, static_cast<std::int64_t>(column.categories.size()));
  require(model.at("gbtree_model_param").at("num_trees") == std::to_string(trees.size()),
          "its number of trees is wrong");
  for (std::size_t number = 0; number < trees.size(); ++number) {
    require(trees[number].at("id") == number, "a tree has another number");
    require_tree(trees[number], description.shape.features, most);
  }
  const auto groups = integers(model.at("tree_info"));
  require(groups.size() == trees.size(), "a tree has no output");
  require_range(groups, 0, std::max<std::int64_t>(1, description.shape.outputs), "output");
}

std::string checksum_of(const Json& learner) {
  std::string text;
  for (const char* part : {"gradient_booster", "learner_model_param", "objective"}) text += learner.at(part).dump();
  return fmt::format("{:08x}", checksum(text.data(), text.size()));
}

// The text of attribute_text(). Percent signs of older versions stay.
std::string text_of_attribute(const std::string& attribute) {
  std::string text;
  for (std::size_t place = 0; place < attribute.size(); ++place) {
    unsigned int code = 0;
    const char* const digits = attribute.data() + place + 1;
    const bool is_code = attribute[place] == '%' && place + 2 < attribute.size() &&
                         std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    text += is_code ? static_cast<char>(code) : attribute[place];
    if (is_code) place += 2;
  }
  return text;
}

SavedModel parse(const std::string& content) {
  const Json json = parsed(content);
  const Json& learner = json.at("learner");
  const Json& attributes = learner.at("attributes");
  const auto text = attributes.find(tree_model_attribute), sum = attributes.find(tree_checksum_attribute);
  require(text != attributes.end() && sum != attributes.end(), "it has no description of its table by sheaf");
  require(*sum == checksum_of(learner), "its checksum is wrong");
  SavedModel trained;
  trained.description = parse_model_text(text_of_attribute(text->get<std::string>()));
  require(trained.description.model.kind == ModelKind::boosted_trees, "its description is not that of trees");
  require_trees(learner, trained.description);
  trained.network.trees = xgboost_text(json);
  return trained;
}

}  // namespace

// XGBoost's writer keeps \\u as the beginning of a code and does not escape all control characters.
std::string attribute_text(const std::string& text) {
  std::string attribute;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    const bool is_safe = character != '\\' && character != '%' && code != 127 && (code >= 32 || character == '\n');
    attribute += is_safe ? std::string(1, character) : fmt::format("%{:02X}", code);
  }
  return attribute;
}

bool is_tree_model(std::string_view content) {
  return !content.empty() && content.front() == '{';
}

RunError damaged_tree_model(const std::string& path, const std::string& problem) {
  return RunError(fmt::format(
      "model file '{}' is damaged or not a model of boosted trees that sheaf has saved ({}). Save the model again.",
      path, printable(problem)));
}

SavedModel parse_tree_model(const std::string& content, const std::string& path) {
  try {
    return parse(content);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Json::exception&) {
    throw damaged_tree_model(path, "its JSON is damaged");
  } catch (const std::exception& error) {
    throw damaged_tree_model(path, error.what());
  }
}

std::string tree_checksum(const std::string& content) {
  try {
    return checksum_of(parsed(content).at("learner"));
  } catch (const Json::exception& error) {
    throw RunError(fmt::format("not a model of boosted trees ({})", error.what()));
  }
}

std::string with_attributes(const std::string& trees,
                            const std::vector<std::pair<std::string, std::string>>& attributes) {
  constexpr std::string_view none = R"("attributes":{})";
  const std::size_t found = trees.find(none);
  require(found != std::string::npos, "not a model of boosted trees without attributes");
  const std::size_t place = found + none.size() - 1;
  std::string texts;
  for (const auto& [name, text] : attributes) {
    if (!texts.empty()) texts += ',';
    texts += Json(name).dump() + ':' + Json(text).dump();
  }
  return trees.substr(0, place) + texts + trees.substr(place);
}

// A prediction is base_score plus a leaf of each tree. The shift of an output goes into the leaves of its first tree.
std::string trees_in_target_units(const std::string& trees, const TargetScaling& scaling) {
  Json json = parsed(trees);
  Json& learner = json.at("learner");
  Json& base_score = learner.at("learner_model_param").at("base_score");
  const std::string text = base_score.get<std::string>();
  const bool is_list = !text.empty() && text.front() == '[';  // since version 3.1
  const double base = std::strtod(text.c_str() + (is_list ? 1 : 0), nullptr);
  base_score = is_list ? "[0E0]" : "0E0";
  Json& model = learner.at("gradient_booster").at("model");
  const auto outputs = integers(model.at("tree_info"));
  std::vector<bool> has_shift(scaling.unit.size());
  for (std::size_t number = 0; number < outputs.size(); ++number) {
    const auto output = static_cast<std::size_t>(outputs[number]);
    const double unit = scaling.unit[output];
    const double shift = has_shift[output] ? 0 : base * unit + double{scaling.shift[output]};
    has_shift[output] = true;
    Json& tree = model.at("trees").at(number);
    const Json& left = tree.at("left_children");
    Json& conditions = tree.at("split_conditions");
    for (std::size_t node = 0; node < left.size(); ++node)
      if (left[node] == -1) conditions[node] = conditions[node].get<double>() * unit + shift;
  }
  return xgboost_text(json);
}

}  // namespace sheaf
