// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include <algorithm>

#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Values = std::vector<std::string>;

Study study_of(const std::vector<SearchedKey>& keys) {
  Study study;
  study.train.momentum = 0.5;
  study.search.keys = keys;
  return study;
}

const Study grid =
    study_of({{"train.epochs", {"1", "2"}}, {"model.bias", {"false"}}, {"train.batch_size", {"8", "full", "4"}}});

}  // namespace

TEST_CASE("combinations are numbered with the last key varying fastest and set exactly the searched keys") {
  const std::vector<Values> all = {{"1", "false", "8"}, {"1", "false", "full"}, {"1", "false", "4"},
                                   {"2", "false", "8"}, {"2", "false", "full"}, {"2", "false", "4"}};
  const Combinations combinations(grid);
  CHECK(combinations.count() == 6);
  Study point = grid;
  for (std::int64_t number : {5, 0, 3, 1, 4, 2}) {
    combinations.apply(number, point);
    for (std::size_t key = 0; key < 3; ++key) {
      const std::string& value = all[static_cast<std::size_t>(number)][key];
      CHECK(combinations.value(number, key) == value);
      CHECK(setting_text(point, combinations.key(key)) == value);
    }
    CHECK(point.train.momentum == 0.5);
  }
}

TEST_CASE("a study without searched keys has one combination") {
  const Combinations combinations(study_of({}));
  CHECK(combinations.count() == 1);
  std::vector<std::int64_t> visited;
  combinations.for_each_distinct([](const std::string&) { return true; },
                                 [&](std::int64_t number) { visited.push_back(number); });
  CHECK(visited == std::vector<std::int64_t>{0});
}

TEST_CASE("distinct combinations of some keys are listed by their first occurrence, in ascending order") {
  const Combinations combinations(grid);
  const auto distinct = [&](const Values& keys) {
    const auto counts = [&](const std::string& key) { return std::find(keys.begin(), keys.end(), key) != keys.end(); };
    std::vector<std::int64_t> visited;
    combinations.for_each_distinct(counts, [&](std::int64_t number) { visited.push_back(number); });
    return visited;
  };
  using Numbers = std::vector<std::int64_t>;
  CHECK(distinct({}) == Numbers{0});
  CHECK(distinct({"train.epochs"}) == Numbers{0, 3});
  CHECK(distinct({"train.batch_size", "model.bias"}) == Numbers{0, 1, 2});
  CHECK(distinct({"train.batch_size", "train.epochs"}) == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("the count of a grid that is too large is the maximum plus one") {
  std::vector<SearchedKey> keys;
  for (const char* name : {"train.epochs", "train.batch_size", "model.hidden", "train.beta1", "train.beta2"}) {
    keys.push_back({name, {}});
    for (int candidate = 0; candidate < 200; ++candidate)
      keys.back().candidates.push_back(keys.size() > 3 ? "0." + std::to_string(candidate + 1)
                                                       : std::to_string(2 * candidate + 1));
  }
  const Combinations combinations(study_of(keys));
  CHECK(combinations.count() == max_iterations + 1);
  CHECK(combinations.value(0, 0) == "1");
  CHECK(combinations.value(201, 3) == "0.2");
  CHECK(combinations.value(201, 4) == "0.2");
}
