// SPDX-License-Identifier: MIT
#include "engines/xgboost/tree_parameters.hpp"

#include <map>

#include "models/tree_model_file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::map<std::string, std::string> parameters(const TreeTask& task, const ModelOptions& model = {}) {
  const auto list = tree_parameters(model, task);
  return {list.begin(), list.end()};
}

}  // namespace

TEST_CASE("the objective follows from the loss and the number of classes") {
  CHECK(parameters({LossKind::mse, 1, 0, 0})["objective"] == "reg:squarederror");
  CHECK(parameters({LossKind::bce, 3, 0.5, 0})["objective"] == "binary:logistic");
  CHECK(parameters({LossKind::poisson, 1, 2, 0})["objective"] == "count:poisson");
  auto two = parameters({LossKind::cross_entropy, 2, 0.25, 0}), three = parameters({LossKind::cross_entropy, 3, 1, 0});
  CHECK((two["objective"] == "binary:logistic" && two.count("num_class") == 0));
  CHECK((three["objective"] == "multi:softprob" && three["num_class"] == "3"));
  CHECK(parameters({LossKind::cross_entropy, 1, 0, 0})["objective"] == "reg:squarederror");  // of the only class
  CHECK((tree_outputs(LossKind::cross_entropy, 2) == 1 && tree_outputs(LossKind::cross_entropy, 3) == 3));
  CHECK((tree_outputs(LossKind::bce, 2) == 2 && tree_outputs(LossKind::mse, 1) == 1));
}

TEST_CASE("base_score is the mean of the labels, within the range of the objective") {
  CHECK(parameters({LossKind::mse, 1, -1234.5678, 0})["base_score"] == "-1234.5678");
  CHECK(parameters({LossKind::cross_entropy, 2, 0.25, 0})["base_score"] == "0.25");
  CHECK(parameters({LossKind::cross_entropy, 2, 0, 0})["base_score"] == "1e-06");
  CHECK(parameters({LossKind::bce, 1, 1, 0})["base_score"] == "0.999999");
  CHECK(parameters({LossKind::poisson, 1, 0, 0})["base_score"] == "1e-06");
  CHECK(parameters({LossKind::cross_entropy, 3, 1.2, 0})["base_score"] == "0.5");
}

TEST_CASE("trees grow leaf by leaf if the number of leaves is limited, and the seed has 31 bits") {
  ModelOptions model;
  CHECK(parameters({}, model)["grow_policy"] == "depthwise");
  model.max_leaves = 24;
  model.max_depth = 0;
  auto found = parameters({LossKind::mse, 1, 0, 0xfffffffff1}, model);
  CHECK((found["grow_policy"] == "lossguide" && found["max_leaves"] == "24" && found["max_depth"] == "0"));
  CHECK(found["seed"] == "2147483633");
  CHECK((found["tree_method"] == "hist" && found["nthread"] == "1" && found["seed_per_iteration"] == "1"));
}
