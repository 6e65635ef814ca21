// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/once_cache.hpp"
#include "data/row_draws.hpp"
#include "data/split_sizes.hpp"
#include "data/splits.hpp"
#include "sample_data.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<std::int64_t> together(const Split& split) {
  std::vector<std::int64_t> rows = split.training_rows.list();
  split.validation_rows.for_each([&](std::int64_t row) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<std::int64_t> counting(std::int64_t rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

TEST_CASE("each fold validates on its rows and trains on all other rows") {
  Study study = test::regression_study();
  study.search.folds = 3;
  Splits splits(study, data_with_labels(uneven_labels(100, 4)));
  std::vector<std::int64_t> validated;
  for (std::int64_t fold = 0; fold < 3; ++fold) {
    const auto split = splits.split(0, fold);
    CHECK(together(*split) == counting(100));
    const auto training = split->training_rows.list(), validation = split->validation_rows.list();
    CHECK(std::is_sorted(training.begin(), training.end()));
    CHECK(std::is_sorted(validation.begin(), validation.end()));
    validated.insert(validated.end(), validation.begin(), validation.end());
    CHECK(validation != splits.split(1, fold)->validation_rows.list());
    CHECK(split == splits.split(0, fold));
  }
  std::sort(validated.begin(), validated.end());
  CHECK(validated == counting(100));
}

TEST_CASE("a hold-out validates on a fraction of the rows that differs between repeats") {
  Study study = test::regression_study();
  study.study.seed = 3;
  study.data.validation = 0.2;
  const DataSet data = data_with_labels(uneven_labels(100, 4));
  Splits splits(study, data);
  const auto split = splits.split(7, 0);
  CHECK(split->validation_rows.list() == held_out_of(data, 0.2, 3, 7));
  CHECK(together(*split) == counting(100));
  CHECK(split->validation_rows.list() != splits.split(8, 0)->validation_rows.list());
}

TEST_CASE("without folds or a hold-out, all rows are training rows and all repeats share one split") {
  Splits splits(test::regression_study(), data_with_features(1, {1, 2, 3}));
  const auto split = splits.split(0, 0);
  CHECK(split->training_rows.list() == counting(3));
  CHECK(split->validation_rows.empty());
  CHECK(splits.split(5, 0) == split);
}

TEST_CASE("stopping rows are a stratified part of the training rows, and leave the validation rows as they are") {
  Study study = test::regression_study();
  const DataSet data = data_with_labels(uneven_labels(200, 4));
  study.search.folds = 4;
  Splits without(study, data);
  study.train.stop_fraction = 0.2;
  Splits splits(study, data);
  std::vector<std::vector<std::int64_t>> all_stopping;
  for (std::int64_t repeat = 0; repeat < 2; ++repeat)
    for (std::int64_t fold = 0; fold < 4; ++fold) {
      const auto split = splits.split(repeat, fold), before = without.split(repeat, fold);
      CHECK(split->validation_rows.list() == before->validation_rows.list());
      const auto stopping = split->stopping_rows.list();
      auto both = split->training_rows.list();
      CHECK(std::is_sorted(both.begin(), both.end()));
      both.insert(both.end(), stopping.begin(), stopping.end());
      std::sort(both.begin(), both.end());
      CHECK(both == before->training_rows.list());
      CHECK(static_cast<std::int64_t>(stopping.size()) == holdout_count(before->training_rows.count(), 0.2));
      CHECK(static_cast<std::int64_t>(stopping.size()) == stopping_row_count(study, {200}));
      std::vector<double> parts(4, 0);
      for (const std::int64_t row : stopping) ++parts[static_cast<std::size_t>(data.labels[row])];
      before->training_rows.for_each(
          [&](std::int64_t row) { parts[static_cast<std::size_t>(data.labels[row])] -= 0.2; });
      for (const double part : parts) CHECK(std::abs(part) <= 1);
      all_stopping.push_back(stopping);
    }
  std::sort(all_stopping.begin(), all_stopping.end());
  CHECK(std::unique(all_stopping.begin(), all_stopping.end()) == all_stopping.end());
}

TEST_CASE("scaling is computed from the training rows only") {
  Study study = test::regression_study();
  study.search.folds = 2;
  const DataSet data = data_with_features(1, {1, 2, 3, 4, 5, 6, 7, 8});
  Splits splits(study, data);
  for (std::int64_t fold = 0; fold < 2; ++fold) {
    const float least = data.features[splits.split(0, fold)->training_rows.list().front()];
    CHECK(splits.scaling(0, fold, Normalize::minmax)->shift == std::vector<float>{least});
  }
  CHECK(splits.scaling(0, 0, Normalize::minmax)->shift != splits.scaling(0, 1, Normalize::minmax)->shift);
}

TEST_CASE("a split has a scaling for each searched value of data.normalize") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.folds = 2;
  study.search.keys = {{"data.normalize", {"none", "standard", "minmax", "robust"}}};
  const DataSet data = data_with_features(1, {1, 2, 3, 4, 5, 6, 7, 100});
  Splits splits(study, data);
  CHECK(splits.scaling(0, 0, Normalize::none)->shift.empty());
  for (const std::string value : {"none", "standard", "minmax", "robust"})
    for (std::int64_t fold = 0; fold < 2; ++fold) {
      CAPTURE(value, fold);
      Study one = study;
      one.search.keys.clear();
      apply_setting(one, "data.normalize", value);
      const Normalize normalize = one.data.normalize;
      const auto found = splits.scaling(1, fold, normalize), expected = Splits(one, data).scaling(1, fold, normalize);
      CHECK(found->shift == expected->shift);
      CHECK(found->scale == expected->scale);
      CHECK(found->clip == expected->clip);
      CHECK(splits.scaling(1, fold, normalize) == found);  // cached
      CHECK(found->clip.empty() == (normalize != Normalize::robust));
    }
}

TEST_CASE("too few rows are refused with a message that has the numbers") {
  Study study = test::regression_study();
  study.search.folds = 5;
  CHECK_THROWS_WITH(Splits(study, data_with_features(1, {1, 2, 3})),
                    "The data set has fewer rows than folds (3 rows, search.folds = 5). Use fewer folds.");
  CHECK_NOTHROW(Splits(study, data_with_features(1, {1, 2, 3, 4, 5})));
  study.search.folds = 1;
  study.data.validation = 0.9;
  CHECK_THROWS_WITH(
      Splits(study, data_with_features(1, {1, 2, 3})),
      "No row is left to train on (data.validation = 0.9 holds out 3 of 3 rows). Reduce data.validation.");
  CHECK_THROWS_WITH(Splits(test::regression_study(), data_with_features(1, {})),
                    "The data set has no rows to train on.");
  study.data.validation = 0.2;
  study.train.stop_fraction = 0.9;
  CHECK_THROWS_WITH(
      Splits(study, data_with_features(1, {1, 2, 3})),
      "No row is left to train on (train.stop_fraction = 0.9 holds out 2 of 2 training rows). Reduce it.");
}

TEST_CASE("threads that request the same split get the same object") {
  Study study = test::regression_study();
  study.search.folds = 4;
  Splits splits(study, data_with_labels(uneven_labels(1000, 4)));
  std::vector<std::vector<std::shared_ptr<const Split>>> seen(8);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < seen.size(); ++number)
    threads.emplace_back([&splits, &mine = seen[number]] {
      for (std::int64_t repeat = 0; repeat < 10; ++repeat)
        for (std::int64_t fold = 0; fold < 4; ++fold) mine.push_back(splits.split(repeat, fold));
    });
  for (auto& thread : threads) thread.join();
  for (const auto& mine : seen) CHECK(mine == seen.front());
}

TEST_CASE("a cache computes each value once, keeps the latest values, and computes again after a failure") {
  OnceCache<int, int> cache(2);
  int computed = 0;
  const auto get = [&](int key) { return *cache.get(key, [&] { return ++computed, 10 * key; }); };
  const auto first = cache.get(0, [&] { return ++computed, 0; });
  CHECK(get(0) == 0);
  CHECK(get(1) == 10);
  CHECK(get(1) == 10);
  CHECK(computed == 2);
  CHECK(get(2) == 20);  // drops 0
  CHECK(get(0) == 0);   // drops 1
  CHECK(computed == 4);
  CHECK(get(2) == 20);
  CHECK(computed == 4);
  CHECK(*first == 0);
#ifndef __SANITIZE_THREAD__  // its pthread_once waits forever after an exception
  CHECK_THROWS_AS(cache.get(9, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  CHECK(get(9) == 90);
#endif
}

TEST_CASE("the number of rows of each class in a hold-out is known in advance") {
  for (const std::int64_t classes : {2, 3, 7}) {
    const DataSet data = data_with_labels(uneven_labels(50, classes));
    std::vector<std::int64_t> counts(static_cast<std::size_t>(classes));
    for (std::int64_t row = 0; row < data.rows; ++row) ++counts[static_cast<std::size_t>(data.labels[row])];
    for (const double fraction : {0.01, 0.1, 0.3, 0.5, 0.9}) {
      std::vector<std::int64_t> held_out(counts.size());
      for (const std::int64_t row : held_out_of(data, fraction, 5, 2))
        ++held_out[static_cast<std::size_t>(data.labels[row])];
      CHECK(holdout_of_classes(counts, fraction) == held_out);
    }
  }
}

TEST_CASE("the smallest validation part has the rows of the smallest fold, or those held out") {
  Study study;
  CHECK(least_validation_rows(study, {100}) == 0);
  study.data.validation = 0.25;
  CHECK(least_validation_rows(study, {100}) == 25);
  study.data.test = 0.2;
  CHECK(least_validation_rows(study, {100}) == 20);
  CHECK(least_validation_rows(study, {100, 7, 5}) == 7);
  study = {};
  study.search.folds = 3;
  CHECK(least_validation_rows(study, {11}) == 3);
  study.data.time = "/time";
  CHECK(least_validation_rows(study, {11}) == 2);
}

TEST_CASE("the fold after the last one trains on all rows except those of the test") {
  Study study = test::regression_study();
  study.search.folds = 3;
  study.train.stop_fraction = 0.2;
  study.data.test = 0.1;
  study.data.normalize = Normalize::standard;
  Splits splits(study, data_with_labels(uneven_labels(100, 4)));
  const auto all = splits.split(0, 3);
  std::vector<std::int64_t> rows = all->training_rows.list();
  CHECK(rows.size() == 90);
  CHECK(all->validation_rows.empty());
  CHECK(all->stopping_rows.empty());
  splits.test_rows().for_each([&](std::int64_t row) { rows.push_back(row); });
  std::sort(rows.begin(), rows.end());
  CHECK(rows == counting(100));
  CHECK(splits.count() == 3);
  study.search.folds = 1;
  study.data.validation = 0.3;
  CHECK(Splits(study, data_with_labels(uneven_labels(100, 4))).split(0, 1)->training_rows.count() == 90);
}
