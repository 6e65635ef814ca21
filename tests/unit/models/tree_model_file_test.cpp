// SPDX-License-Identifier: MIT
#include "models/tree_model_file.hpp"

#include <string>
#include <utility>

#include "core/error.hpp"
#include "models/model_text.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

ModelDescription description() {
  ModelDescription trees;
  trees.model.kind = ModelKind::boosted_trees;
  trees.task = Task::classification;
  trees.loss = LossKind::cross_entropy;
  trees.shape = {0, 2, 2, {}};
  trees.data.columns = {number_column("age"), text_column("NaN \" city \\u0041 5%", {"Oslo", "Rome"})};
  return trees;
}

// "text" with \n as in JSON.
std::string in_json(const std::string& text) {
  std::string quoted;
  for (const char character : text)
    quoted += character == '\n'   ? std::string("\\n")
              : character == '"'  ? std::string("\\\"")
              : character == '\\' ? std::string("\\\\")
                                  : std::string(1, character);
  return '"' + quoted + '"';
}

// A model with one tree of three nodes: age < 30.5, with a category of no effect.
std::string file(const std::string& attributes) {
  return R"({"learner": {"attributes": {)" + attributes +
         R"(}, "gradient_booster": {"model": {"gbtree_model_param": {"num_trees": "1"}, "tree_info": [0], "trees": [
{"id": 0, "left_children": [1, -1, -1], "right_children": [2, -1, -1], "parents": [2147483647, 0, 0], "split_indices": [0, 0, 0], "split_type": [1, 0, 0],
"split_conditions": [30.5, NaN, 0.2], "default_left": [0, 0, 0], "categories": [1], "categories_nodes": [0],
"categories_segments": [0], "categories_sizes": [1]}]}}, "learner_model_param": {"num_class": "0", "base_score": "5E-1"}, "objective": {}}})";
}

// The same with the attributes of sheaf. `change`: of the text before its checksum is known.
template <class Change>
std::string file_with(const Change& change) {
  const std::string text =
      change(file("\"sheaf\": " + in_json(attribute_text(model_text(description()))) + ", \"sheaf_checksum\": \"?\""));
  const std::size_t mark = text.find("\"?\"");
  std::string sum = "?";
  try {
    sum = tree_checksum(text);
  } catch (const RunError&) {
  }
  return text.substr(0, mark + 1) + sum + text.substr(mark + 2);
}

std::string file() {
  return file_with([](std::string text) { return text; });
}

// A forged file with the right checksum.
std::string with(const std::string& before, const std::string& after) {
  return file_with([&](std::string text) {
    const std::size_t found = text.find(before);
    REQUIRE(found != std::string::npos);
    return text.replace(found, before.size(), after);
  });
}

}  // namespace

TEST_CASE("a model file of trees has the description of the model and its trees") {
  CHECK((is_tree_model(file()) && !is_tree_model("PK\x03\x04") && !is_tree_model("")));
  const SavedModel found = parse_tree_model(file(), "trees.json");
  CHECK(found.description.model.kind == ModelKind::boosted_trees);
  CHECK(found.description.task == Task::classification);
  CHECK(found.description.data.columns == description().data.columns);
  CHECK((tree_checksum(found.network.trees) == tree_checksum(file()) && found.scaling.shift.empty()));
  CHECK_THAT(found.network.trees, ContainsSubstring("[NaN,") || ContainsSubstring(",NaN,"));
  CHECK_THROWS_WITH(parse_tree_model(file(""), "trees.json"),
                    ContainsSubstring("no description of its table by sheaf"));
}

TEST_CASE("the attribute has no backslashes and control characters, which XGBoost does not store") {
  const std::string text = "see \\u0041 100% \x01\n\"\t";
  CHECK(attribute_text(text) == "see %5Cu0041 100%25 %01\n\"%09");
  CHECK(attribute_text("data = {\"name\": \"age\"}\n") == "data = {\"name\": \"age\"}\n");
}

TEST_CASE("trees with nodes, columns, categories or outputs that do not exist are refused") {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"[1, -1, -1]", "[0, -1, -1]"},  // a child that is its parent
           {"[1, -1, -1]", "[3, -1, -1]"},  // a child behind the end
           {"[1, -1, -1]", "[1, -1]"},      // fewer nodes
           {"[2, -1, -1]", "[1, -1, -1]"},
           {"[2147483647, 0, 0]", "[2147483647, 0, 1]"},
           {"[2147483647, 0, 0]", "[2147483647, 0, -1]"},
           {R"("id": 0)", R"("id": 1)"},
           {R"("num_trees": "1")", R"("num_trees": "2")"},
           {R"("split_type": [1)", R"("split_type": [0)"},
           {"[2, -1, -1]", "[-1, -1, -1]"},                       // one child only
           {R"("split_indices": [0)", R"("split_indices": [2)"},  // of two columns
           {R"("split_indices": [0)", R"("split_indices": [-1)"},
           {R"("split_conditions": [30.5, )", R"("split_conditions": [)"},
           {R"("categories": [1])", R"("categories": [2])"},
           {R"("categories_sizes": [1])", R"("categories_sizes": [2])"},
           {R"("categories_segments": [0])", R"("categories_segments": [9223372036854775807])"},
           {R"("categories_nodes": [0])", R"("categories_nodes": [3])"},
           {R"("tree_info": [0])", R"("tree_info": [2])"},
           {R"("tree_info": [0])", R"("tree_info": [])"},
           {R"("trees": [)", R"("trees": [{}, )"},
           {"outputs = 2", "outputs = two"},
           {"model.kind = boosted_trees", "model.kind = mlp"}}) {
    CAPTURE(before, after);
    CHECK_THROWS_WITH(
        parse_tree_model(with(before, after), "trees.json"),
        StartsWith("model file 'trees.json' is damaged or not a model of boosted trees that sheaf has saved ("));
  }
  CHECK_THROWS_WITH(parse_tree_model(with("train.loss = cross_entropy", "train.loss = auto"), "trees.json"),
                    ContainsSubstring("(its task, kind or loss is missing)"));
  CHECK_THROWS_AS(parse_tree_model(file().substr(0, 300), "trees.json"), RunError);
  CHECK_THROWS_WITH(parse_tree_model(std::string(100000, '[') + "{", "trees.json"), ContainsSubstring("damaged"));
  CHECK_THROWS_WITH(parse_tree_model("{\"a\": " + std::string(100000, '['), "trees.json"),
                    ContainsSubstring("nested too deeply"));
}

TEST_CASE("attributes are added to the text of a model without a change of the rest") {
  std::string trees = file("");
  trees.replace(trees.find("\"attributes\": {"), 15, "\"attributes\":{");  // as XGBoost writes it
  const std::string text = with_attributes(trees, {{tree_model_attribute, attribute_text(model_text(description()))},
                                                   {tree_checksum_attribute, tree_checksum(trees)}});
  CHECK(parse_tree_model(text, "trees.json").description.data.columns.size() == description().data.columns.size());
  CHECK(with_attributes(trees, {{"a", "b \"c\""}}).find(R"("attributes":{"a":"b \"c\""},)") != std::string::npos);
  CHECK_THROWS_AS(with_attributes(text, {{"a", "b"}}), RunError);  // it has some
  CHECK_THROWS_AS(with_attributes("{}", {{"a", "b"}}), RunError);
}

TEST_CASE("a change of the trees does not fit the checksum") {
  std::string text = file();
  text.replace(text.find("30.5"), 4, "31.5");
  CHECK_THROWS_WITH(parse_tree_model(text, "trees.json"), ContainsSubstring("its checksum is wrong"));
  CHECK(tree_checksum(file()) == tree_checksum(file("")));  // the description does not count
  CHECK(tree_checksum(file()) != tree_checksum(with("30.5", "31.5")));
  CHECK_THROWS_AS(tree_checksum("{}"), RunError);
}

TEST_CASE("trees of scaled targets become trees in the units of the targets") {
  const std::string trees = R"({"learner": {"gradient_booster": {"model": {"tree_info": [0, 1, 0], "trees": [
{"left_children": [-1], "split_conditions": [0.25]}, {"left_children": [1, -1, -1], "split_conditions": [NaN, 1, 2]},
{"left_children": [-1], "split_conditions": [-1]}]}}, "learner_model_param": {"base_score": "5E-1"}}})";
  // Output 0: 0.5 + 0.25 - 1 = -0.25 units of 4, plus 10; output 1: 0.5 + 1 or 2 units of 0.5, minus 3.
  const std::string found = trees_in_target_units(trees, {{10, -3}, {4, 0.5}});
  CHECK_THAT(found, ContainsSubstring(R"("base_score":"0E0")"));
  CHECK_THAT(found, ContainsSubstring(R"("split_conditions":[13.0])"));             // 0.25 * 4 + 0.5 * 4 + 10
  CHECK_THAT(found, ContainsSubstring(R"("split_conditions":[NaN,-2.25,-1.75])"));  // 0.5 * 0.5 - 3 + 0.5 or 1
  CHECK_THAT(found, ContainsSubstring(R"("split_conditions":[-4.0])"));
}
