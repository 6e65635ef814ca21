// SPDX-License-Identifier: MIT
#include "commands/train/prepare/study_warnings.hpp"

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

// By default, warnings of a study with 5 folds.
Texts class_warnings(const std::vector<std::int64_t>& labels, std::int64_t classes, const Texts& names,
                     std::int64_t folds = 5, double validation = 0) {
  const Study study = grid(folds, validation, {"0.1", "0.2"});
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

TEST_CASE("a short patience with a schedule over all epochs has a warning") {
  const auto with = [](Schedule schedule, std::int64_t patience) {
    Study study = grid(1, 0.2, {"0.1"});
    study.train.epochs = 41;
    study.train.schedule = schedule;
    study.train.patience = patience;
    return warnings(study);
  };
  CHECK(
      with(Schedule::cosine, 10) ==
      Texts{
          "train.patience = 10 may end a training while the learning rate is still high (train.schedule = cosine "
          "lowers it over 41 epochs). Set train.patience to at least 11, or to none with train.best_weights = true."});
  CHECK(with(Schedule::cosine, 11).empty());
  CHECK(with(Schedule::cosine, 0).empty());
  CHECK(with(Schedule::step, 10).empty());
}

TEST_CASE("labels that all rows or none have are named") {
  DataSet data;
  data.task = Task::multilabel;
  data.rows = 3;
  data.output_count = 3;
  const auto with = [&](const std::vector<float>& labels, const Texts& names) {
    data.targets = labels.data();
    const Study study = grid(5, 0, {"0.1", "0.2"});
    return study_warnings(study, test::whole_plan(study), &data, names);
  };
  CHECK(with({1, 0, 0, 0, 1, 0, 0, 0, 1}, {}).empty());
  CHECK(with({1, 0, 1, 0, 1, 1, 0, 0, 1}, {"a", "b", "c"}) ==
        Texts{"label 'c' (1 in all rows) does not vary, so a model cannot learn to predict it. Check the targets."});
  CHECK(with({1, 0, 0, 1, 1, 0, 1, 0, 0}, {}) ==
        Texts{"labels 0 (1 in all rows) and 2 (0 in all rows) do not vary, so a model cannot learn to predict them. "
              "Check the targets."});
}

TEST_CASE("classes with fewer rows than folds are named") {
  const std::vector<std::int64_t> labels = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2};
  CHECK(
      class_warnings(labels, 3, {"cat", "dog", "owl"}) ==
      Texts{
          "classes 'dog' (4 rows) and 'owl' (1 row) have fewer rows than search.folds = 5 (some folds validate without "
          "them, and the fold with the only row of a class trains without the class). Use fewer folds, or add rows."});
  CHECK(
      class_warnings({0, 0, 0, 0, 0, 1}, 2, {}) ==
      Texts{"class 1 (1 row) has fewer rows than search.folds = 5 (some folds validate without them, and the fold with "
            "the only row of a class trains without the class). Use fewer folds, or add rows."});
  CHECK(class_warnings({0, 0, 0, 0, 0}, 7, {})
            .back()
            .find("4 (0 rows) and 2 more have fewer rows than search.folds = 5") != std::string::npos);
  CHECK(class_warnings({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, 2, {}).empty());
}

TEST_CASE("many classes with one row each may be quantities") {
  std::vector<std::int64_t> labels;
  for (std::int64_t row = 0; row < 20; ++row) labels.push_back(row < 9 ? 0 : row);
  CHECK(class_warnings(labels, 20, {}).front() ==
        "11 of 20 rows have a class of their own, so the targets may be quantities. Set data.task = regression to "
        "predict them as numbers.");
  labels[10] = 0;
  CHECK(class_warnings(labels, 20, {}).front().find("quantities") == std::string::npos);
}

TEST_CASE("classes of which all rows are held out are named") {
  std::vector<std::int64_t> labels(20);
  labels[9] = 1;
  CHECK(
      class_warnings(labels, 2, {"cat", "dog"}, 1, 0.5) ==
      Texts{"class 'dog' (1 row) is not trained on (data.validation = 0.5 holds out all rows of the class). Add rows, "
            "or use search.folds or data.validation = 0."});
  labels[9] = labels[10] = 1;
  CHECK(class_warnings(labels, 3, {}, 1, 0.5).empty());
  CHECK_THAT(class_warnings(labels, 3, {}, 1, 0.95).front(),
             ContainsSubstring("class 1 (2 rows) is not trained on (data.validation = 0.95"));
}

TEST_CASE("trials that cannot be ranked are refused") {
  const auto problem = [](const Study& study, std::int64_t rows) {
    return ranking_problem(study, test::whole_plan(study), {rows});
  };
  Study study = grid(30, 0, {"0.1", "0.2"});
  CHECK(problem(study, 30).empty());  // by loss
  study.search.metric = "r2";
  CHECK(problem(study, 59) ==
        "the trials cannot be ranked by R2 (R2 is not defined for fewer than 2 validation rows, and search.folds = 30 "
        "leaves a fold with one row). Set search.folds to at most 29, or set search.metric = loss.");
  CHECK(problem(study, 60).empty());
  study.search.folds = 3;
  CHECK_THAT(problem(study, 3), ContainsSubstring("one row). Add rows, or set"));
  study.search.folds = 1;
  study.data.validation = 0.05;
  study.ensemble.members = 2;
  CHECK_THAT(problem(study, 20), ContainsSubstring("data.validation = 0.05 holds out one row). Increase "
                                                   "data.validation."));
  study.search.method = SearchMethod::none;
  study.search.keys.clear();
  CHECK(problem(study, 20).empty());

  study = grid(1, 0, {});
  study.search.keys = {{"train.loss", {"cross_entropy", "bce"}}};
  CHECK_THAT(problem(study, 20), ContainsSubstring("the trials cannot be ranked (losses of different kinds"));
  study.data.validation = 0.2;
  CHECK(problem(study, 20).empty());
}

TEST_CASE("rows of a single class are pointed out") {
  const std::vector<std::int64_t> labels(8, 5);
  CHECK(class_warnings(labels, 6, {}, 1, 0.5) ==
        Texts{"all rows have class 5 (8 rows), so a model cannot learn to distinguish classes. Check the targets."});
  CHECK(class_warnings({5, 5, 0, 0}, 6, {}, 1, 0.5).empty());
}

TEST_CASE("classes that groups, times or a test leave out of the training rows are named") {
  const auto special = [](std::int64_t folds, double test, const std::vector<std::int64_t>& labels,
                          const std::vector<std::int64_t>& groups) {
    Study study = grid(folds, 0, {"0.1", "0.2"});
    study.data.test = test;
    DataSet data;
    data.task = Task::classification;
    data.rows = static_cast<std::int64_t>(labels.size());
    data.output_count = 3;
    data.labels = labels.data();
    data.marks = {groups.empty() ? MarkKind::times : MarkKind::groups, 3, groups.empty() ? nullptr : groups.data(), {}};
    Splits splits(study, data);
    Texts found = study_warnings(study, test::whole_plan(study), &data, {"a", "b", "c"}, &splits);
    if (folds == 1) found.erase(found.begin());  // without validation rows
    return found;
  };
  const std::vector<std::int64_t> labels = {0, 1, 0, 1, 2, 2};
  CHECK(special(3, 0, labels, {0, 0, 1, 1, 2, 2}) ==
        Texts{"in some fold, no training row has class 'c' (2 rows). Add rows, or hold out fewer."});
  CHECK(special(2, 0, labels, {}) ==
        Texts{"in some fold, no training row has class 'c' (2 rows). Add rows, or hold out fewer."});
  CHECK(special(1, 0.34, labels, {}) == Texts{"no training row has class 'c' (2 rows). Add rows, or hold out fewer."});
  CHECK(special(1, 0.17, labels, {}).empty());
}
