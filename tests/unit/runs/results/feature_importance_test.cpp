// SPDX-License-Identifier: MIT
#include "runs/results/feature_importance.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

// A file that is removed at the end.
struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "sheaf-feature-importance-test.json";
  Scratch() { std::filesystem::remove(path); }
  ~Scratch() { std::filesystem::remove(path); }
};

FeatureImportance feature(const std::string& name, std::int64_t number, std::vector<double> values) {
  FeatureImportance one;
  one.feature = name;
  one.number = number;
  one.values = std::move(values);
  return one;
}

FeatureImportances importances() {
  FeatureImportances all;
  all.program = "sheaf 0.1.2";
  all.models = {"run/models/a.pt", "run/models/b.pt"};
  all.models_kind = ModelsKind::refit;
  all.data = "test.csv";
  all.file_rows = 500;
  all.rows = 400;
  all.weights = "weight";
  all.metric = "roc_auc";
  all.metric_label = "ROC AUC";
  all.baseline = 0.9312345678901234;
  all.repeats = 2;
  all.seed = 18446744073709551615U;
  all.features = {feature("a", 0, {0.1, -0.1}), feature("b", 1, {0.25, 0.5}), feature("c", 2, {std::nan(""), 1}),
                  feature("d", 3, {0, 0})};
  rank_features(all.features);
  return all;
}

}  // namespace

TEST_CASE("features are ranked by their mean, with the deviation of a population") {
  const FeatureImportances all = importances();
  std::string names;
  for (const FeatureImportance& one : all.features) names += one.feature;
  CHECK(names == "badc");  // of equal ones the first, and what is not defined last
  CHECK(all.features[0].mean == 0.375);
  CHECK(all.features[0].deviation == 0.125);
  CHECK(all.features[1].deviation == 0.1);
  CHECK(rows_text(all) == "400 of 500 rows");
  CHECK(baseline_text(all) == "ROC AUC 0.931235");
}

TEST_CASE("importance.json has everything") {
  const Scratch scratch;
  const std::string path = scratch.path.string();
  CHECK(!read_importances(path));
  const std::string text = importance_json(importances());
  std::ofstream(path) << text;
  const auto read = read_importances(path);
  REQUIRE(read);
  CHECK(importance_json(*read) == text);
  CHECK(read->models_kind == ModelsKind::refit);
  CHECK(read->seed == 18446744073709551615U);
  CHECK(std::isnan(read->features.back().mean));
}

TEST_CASE("a damaged importance.json is refused") {
  const Scratch scratch;
  const std::string path = scratch.path.string();
  std::string unknown_kind = importance_json(importances());
  unknown_kind.replace(unknown_kind.find("refit"), 5, "first");
  const auto with_rows = [](const std::string& rows) {
    std::string text = importance_json(importances());
    return text.replace(text.find("\"rows\":400"), 10, "\"rows\":" + rows);
  };
  for (const std::string& text :
       {with_rows("1e300"), with_rows("-5"), with_rows("18446744073709551615"), std::string(), std::string("{}"),
        std::string("[1]"), unknown_kind, importance_json(importances()).substr(0, 200),
        importance_json(FeatureImportances{})}) {
    std::ofstream(path) << text;
    CHECK_THROWS_WITH(read_importances(path), ContainsSubstring("test.json' is damaged ("));
  }
}
