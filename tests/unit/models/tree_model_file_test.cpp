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
  trees.shape = {0, 3, 2, {}};
  trees.data.columns = {number_column("age"), text_column("NaN \" city", {"Oslo", "Rome"})};
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
         R"(}, "gradient_booster": {"model": {"tree_info": [0], "trees": [
{"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0], "split_type": [0, 0, 0],
"split_conditions": [30.5, NaN, 0.2], "default_left": [0, 0, 0], "categories": [1], "categories_nodes": [0],
"categories_segments": [0], "categories_sizes": [1]}]}}, "learner_model_param": {"num_class": "0"}}})";
}

std::string file() {
  return file("\"sheaf\": " + in_json(model_text(description())));
}

std::string with(const std::string& before, const std::string& after) {
  std::string text = file();
  const std::size_t found = text.find(before);
  REQUIRE(found != std::string::npos);
  return text.replace(found, before.size(), after);
}

}  // namespace

TEST_CASE("a model file of trees has the description of the model and its trees") {
  CHECK((is_tree_model(file()) && !is_tree_model("PK\x03\x04") && !is_tree_model("")));
  const auto found = parse_tree_model(file(), "trees.json");
  REQUIRE(found);
  CHECK(found->description.model.kind == ModelKind::boosted_trees);
  CHECK(found->description.task == Task::classification);
  CHECK(found->description.data.columns == description().data.columns);
  CHECK((found->network.trees == file() && found->network.rounds == 0 && found->scaling.shift.empty()));
  CHECK_FALSE(parse_tree_model(file(""), "trees.json"));  // written by another program
}

TEST_CASE("trees with nodes, columns, categories or outputs that do not exist are refused") {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"[1, -1, -1]", "[0, -1, -1]"},                        // a child that is its parent
           {"[1, -1, -1]", "[3, -1, -1]"},                        // a child behind the end
           {"[1, -1, -1]", "[1, -1]"},                            // fewer nodes
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
    CHECK_THROWS_WITH(parse_tree_model(with(before, after), "trees.json"),
                      StartsWith("model file 'trees.json' is damaged or not a model of boosted trees ("));
  }
  CHECK_THROWS_AS(parse_tree_model(file().substr(0, 300), "trees.json"), RunError);
  CHECK_THROWS_WITH(parse_tree_model(std::string(100000, '[') + "{", "trees.json"), ContainsSubstring("damaged"));
  CHECK_THROWS_WITH(parse_tree_model("{\"a\": " + std::string(100000, '['), "trees.json"),
                    ContainsSubstring("nested too deeply"));
}

TEST_CASE("the text of the trees does not depend on the description") {
  CHECK(trees_text(file()) == trees_text(file("")));
  CHECK(trees_text(file()) != trees_text(with("30.5", "31.5")));
  CHECK_THROWS_AS(trees_text("{}"), RunError);
}
