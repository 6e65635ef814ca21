// SPDX-License-Identifier: MIT
#include "commands/train/study_warnings.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;

Study grid(std::int64_t folds, double validation, const Texts& candidates) {
  Study study = test::regression_study();
  study.data.validation = validation;
  study.search.method = SearchMethod::grid;
  study.search.folds = folds;
  study.search.keys = {{"train.learning_rate", candidates}};
  return study;
}

Texts warnings(const Study& study) {
  return study_warnings(study, test::whole_plan(study), nullptr, {});
}

// Warnings of a study with 5 folds.
Texts class_warnings(const std::vector<std::int64_t>& labels, std::int64_t classes, const Texts& names) {
  const Study study = grid(5, 0, {"0.1", "0.2"});
  DataSet data;
  data.task = Task::classification;
  data.rows = static_cast<std::int64_t>(labels.size());
  data.output_count = classes;
  data.labels = labels.data();
  return study_warnings(study, test::whole_plan(study), &data, names);
}

}  // namespace

TEST_CASE("trials without held-out rows are ranked by training loss, with a warning") {
  const Texts warning = {
      "the trials are ranked by their training loss, which favors models that overfit (no rows are held out). Set "
      "search.folds or data.validation."};
  CHECK(warnings(grid(1, 0, {"0.1", "0.2"})) == warning);
  CHECK(warnings(grid(3, 0, {"0.1", "0.2"})).empty());
  CHECK(warnings(grid(1, 0.2, {"0.1", "0.2"})).empty());
  CHECK(warnings(grid(1, 0, {"0.1"})).empty());
  CHECK(warnings(Study()).empty());
}

TEST_CASE("classes with fewer rows than folds are named") {
  const std::vector<std::int64_t> labels = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2};
  CHECK(
      class_warnings(labels, 3, {"cat", "dog", "owl"}) ==
      Texts{"classes 'dog' (4 rows), 'owl' (1 row) have fewer rows than search.folds = 5 (some folds validate without "
            "them). Use fewer folds, or add rows."});
  CHECK(
      class_warnings({0, 0, 0, 0, 0, 1}, 2, {}) ==
      Texts{"class 1 (1 row) has fewer rows than search.folds = 5 (some folds validate without them). Use fewer folds, "
            "or add rows."});
  CHECK(class_warnings({0, 0, 0, 0, 0}, 7, {})
            .front()
            .find("5 (0 rows) and 1 more have fewer rows than search.folds = 5") != std::string::npos);
  CHECK(class_warnings({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 2, {}).empty());
}
