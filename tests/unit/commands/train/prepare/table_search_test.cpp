// SPDX-License-Identifier: MIT
#include "commands/train/prepare/table_search.hpp"

#include <set>
#include <utility>
#include <vector>

#include "commands/train/prepare/data_defaults.hpp"
#include "study/plan.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

FileSchema table_of(std::int64_t rows, std::int64_t classes = 0) {
  FileSchema file;
  file.targets.number_class = classes > 0 ? NumberClass::integer : NumberClass::real;
  file.target_columns = 1;
  file.classes = classes;
  file.rows = rows;
  file.feature_count = 5;
  return file;
}

Study with_time(const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  Study study;
  study.data.file = "table.h5";
  apply_setting(study, "search.time", "10");
  for (const auto& [key, text] : settings) apply_setting(study, key, text);
  return study;
}

// The settled study, which must have no problems.
Study settled(const FileSchema& file, const Study& study = with_time(), bool has_trees = true) {
  const Study found = with_data_defaults(with_table_search(study, file, has_trees), file);
  const auto problems = problems_in(found);
  CHECK((problems.empty() ? "" : problems.front().sentence) == "");
  return found;
}

// The kinds of the first trials: l for linear, t for trees, n for networks.
std::string kinds(const Study& study) {
  const Plan plan(study);
  std::string letters;
  for (std::size_t trial = 0; trial < study.search.start.size(); ++trial) {
    const ModelKind kind = plan.trial(static_cast<std::int64_t>(trial)).model.kind;
    letters += kind == ModelKind::linear ? 'l' : kind == ModelKind::mlp ? 'n' : 't';
  }
  return letters;
}

}  // namespace

TEST_CASE("search.time alone asks for the search of a table, and any other choice of a model does not") {
  CHECK(searches_table(with_time(), table_of(1000)));
  CHECK(searches_table(with_time({{"train.class_weights", "balanced"}, {"data.test", "0.2"}}), table_of(1000, 2)));
  CHECK(searches_table(with_time({{"train.loss", "poisson"}, {"study.seed", "3"}}), table_of(1000)));
  CHECK_FALSE(searches_table(Study(), table_of(1000)));
  CHECK(may_search_table(Study(), table_of(1000)));
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"model.kind", "mlp"},
                                                                                   {"model.hidden", "32"},
                                                                                   {"train.epochs", "20"},
                                                                                   {"train.loss", "huber"},
                                                                                   {"search.folds", "3"},
                                                                                   {"search.method", "grid"},
                                                                                   {"search.trials", "9"},
                                                                                   {"ensemble.members", "2"},
                                                                                   {"study.iterations", "4"},
                                                                                   {"data.mode", "streamed"}}) {
    CAPTURE(key);
    CHECK_FALSE(searches_table(with_time({{key, value}}), table_of(1000)));
  }
  FileSchema images = table_of(1000);
  images.layout.image = {1, 2, 2};
  CHECK_FALSE(searches_table(with_time(), images));
}

TEST_CASE("the list begins with a linear model and the best trees; for many rows, most networks come last") {
  const Study some = settled(table_of(5000)), many = settled(table_of(20000, 3));
  CHECK(kinds(some) == "lttttnnnnttttl");
  CHECK(kinds(many) == "ltntttttttnnnl");
  CHECK(Plan(many).trial(2).train.learning_rate == 1.5e-3);
  const ModelOptions best = Plan(some).trial(1).model;
  CHECK((best.eta == 0.06 && best.max_depth == 5 && best.subsample == 0.9 && best.min_child_weight == 0.01));
  const ModelOptions by_leaves = Plan(some).trial(4).model;
  CHECK((by_leaves.max_leaves == 24 && by_leaves.eta == 0.08));
  std::set<std::vector<std::string>> different;
  for (std::int64_t trial = 0; trial < 14; ++trial) different.insert(Plan(some).trial(trial).values);
  CHECK(different.size() == 14);
  CHECK(Plan(some).trial(6).train.learning_rate == 4e-4);
  CHECK(Plan(settled(table_of(300))).trial(6).train.learning_rate == 2e-4);
}

TEST_CASE("few rows have folds, others hold out a fifth, at most 10,000 rows") {
  CHECK((settled(table_of(1499)).search.folds == 5 && settled(table_of(1499)).data.validation.value_or(0) == 0));
  CHECK((settled(table_of(1500)).search.folds == 1 && settled(table_of(1500)).data.validation == 0.2));
  CHECK(settled(table_of(200000)).data.validation == 0.05);
  CHECK(settled(table_of(3)).search.folds == 3);
  CHECK(settled(table_of(300), with_time({{"data.validation", "0.3"}})).search.folds == 1);
  CHECK(settled(table_of(300), with_time({{"data.validation_file", "other.h5"}})).search.folds == 1);
}

TEST_CASE("the trials of the ensemble are trained again on all rows") {
  const Study study = settled(table_of(5000, 2));
  CHECK((study.run.refit && study.search.ensemble == EnsembleKind::greedy));
  CHECK((study.run.models == ModelsSaved::best && study.run.predictions == PredictionsKept::held_out));
  CHECK(study.search.method == SearchMethod::random);
}

TEST_CASE("without XGBoost there are networks and linear models") {
  const Study study = settled(table_of(5000), with_time(), false);
  CHECK(kinds(study) == "lnnnnl");
  for (const SearchedKey& searched : study.search.keys) CHECK(searched.key != "model.eta");
}

TEST_CASE("a short search of a large table has a larger learning rate of trees") {
  Study study = with_time();
  study.search.time = 2;
  CHECK(Plan(settled(table_of(20000), study)).trial(1).model.eta == 0.15);
  CHECK(Plan(settled(table_of(5000, 10), study)).trial(3).model.eta == 0.15);
  CHECK(Plan(settled(table_of(5000, 2), study)).trial(1).model.eta == 0.06);
}

TEST_CASE("with many classes, plain networks come before the trees") {
  CHECK(kinds(settled(table_of(5000, 3))) == "lttttnnnnttttl");
  CHECK(kinds(settled(table_of(5000, 4))) == "lnnttttnnttttl");
  CHECK(kinds(settled(table_of(20000, 4))) == "lnnttttttttnnl");
  Study short_search = with_time();
  short_search.search.time = 2;
  CHECK(kinds(settled(table_of(20000), short_search)) == "lttttttttnnnnl");
  CHECK(Plan(settled(table_of(5000, 4))).trial(1).model.embedding == Embedding::none);
  CHECK(Plan(settled(table_of(5000, 4))).trial(7).model.embedding == Embedding::piecewise);
}

TEST_CASE("a short search of few rows has folds, except for many classes") {
  Study study = with_time();
  study.search.time = 2;
  CHECK(settled(table_of(1400), study).search.folds == 5);
  CHECK(settled(table_of(1400, 3), study).search.folds == 5);
  CHECK(settled(table_of(200, 10), study).search.folds == 5);
  CHECK((settled(table_of(1400, 4), study).search.folds == 1 &&
         settled(table_of(1400, 4), study).data.validation == 0.2));
  CHECK(settled(table_of(1400, 4)).search.folds == 5);  // in 10 s
}
