// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/once_cache.hpp"
#include "data/splits.hpp"
#include "sample_data.hpp"
#include "support/catch.hpp"

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

TEST_CASE("every fold validates on its own rows and trains on all others") {
  Study study;
  study.search.folds = 3;
  Splits splits(study, labelled(uneven_labels(100, 4)));
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

TEST_CASE("a hold-out validates on its fraction of the rows, anew in each repeat") {
  Study study;
  study.study.seed = 3;
  study.data.validation = 0.2;
  const DataSet data = labelled(uneven_labels(100, 4));
  Splits splits(study, data);
  const auto split = splits.split(7, 0);
  CHECK(split->validation_rows.list() == holdout_rows(data, 0.2, 3, 7));
  CHECK(together(*split) == counting(100));
  CHECK(split->validation_rows.list() != splits.split(8, 0)->validation_rows.list());
}

TEST_CASE("without folds and hold-out all rows train, and all repeats share one split") {
  Splits splits(Study{}, measured(1, {1, 2, 3}));
  const auto split = splits.split(0, 0);
  CHECK(split->training_rows.list() == counting(3));
  CHECK(split->validation_rows.empty());
  CHECK(splits.split(5, 0) == split);
}

TEST_CASE("scaling comes from the training rows alone") {
  Study study;
  study.search.folds = 2;
  study.data.normalize = Normalize::minmax;
  const DataSet data = measured(1, {1, 2, 3, 4, 5, 6, 7, 8});
  Splits splits(study, data);
  for (std::int64_t fold = 0; fold < 2; ++fold) {
    const auto split = splits.split(0, fold);
    CHECK(split->scaling.shift == std::vector<float>{data.features[split->training_rows.list().front()]});
  }
  CHECK(splits.split(0, 0)->scaling.shift != splits.split(0, 1)->scaling.shift);
}

TEST_CASE("too few rows are refused with the numbers") {
  Study study;
  study.search.folds = 5;
  CHECK_THROWS_WITH(Splits(study, measured(1, {1, 2, 3})),
                    "The data set has fewer rows than folds (3 rows, search.folds = 5). Ask for fewer folds.");
  CHECK_NOTHROW(Splits(study, measured(1, {1, 2, 3, 4, 5})));
  study.search.folds = 1;
  study.data.validation = 0.9;
  CHECK_THROWS_WITH(Splits(study, measured(1, {1, 2, 3})),
                    "No row is left to train on (data.validation = 0.9 holds out 3 of 3 rows). Hold out fewer.");
  CHECK_THROWS_WITH(Splits(Study{}, measured(1, {})), "The data set has no rows to train on.");
}

TEST_CASE("threads that ask for one split get the same, whatever they ask for besides") {
  Study study;
  study.search.folds = 4;
  Splits splits(study, labelled(uneven_labels(1000, 4)));
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

TEST_CASE("a cache makes a value once, keeps the latest, and tries again after a failure") {
  OnceCache<int, int> cache(2);
  int made = 0;
  const auto get = [&](int key) { return *cache.get(key, [&] { return ++made, 10 * key; }); };
  const auto kept = cache.get(0, [&] { return ++made, 0; });
  CHECK(get(0) == 0);
  CHECK(get(1) == 10);
  CHECK(get(1) == 10);
  CHECK(made == 2);
  CHECK(get(2) == 20);  // drops 0
  CHECK(get(0) == 0);   // drops 1
  CHECK(made == 4);
  CHECK(get(2) == 20);
  CHECK(made == 4);
  CHECK(*kept == 0);
#ifndef __SANITIZE_THREAD__  // whose pthread_once waits for ever after an exception
  CHECK_THROWS_AS(cache.get(9, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  CHECK(get(9) == 90);
#endif
}
