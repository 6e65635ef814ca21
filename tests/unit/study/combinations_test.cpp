// SPDX-License-Identifier: MIT
#include "study/combinations.hpp"

#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Values = std::vector<std::string>;

std::vector<Values> first_combinations(const Study& study, std::int64_t most) {
  std::vector<Values> all;
  for_each_combination(study, most, [&](const Study& point, const Values& values) {
    for (std::size_t key = 0; key < values.size(); ++key)
      CHECK(setting_text(point, study.search.keys[key].key) == values[key]);
    CHECK(point.train.momentum == study.train.momentum);
    all.push_back(values);
  });
  return all;
}

Study study_of(const std::vector<SearchedKey>& keys) {
  Study study;
  study.train.momentum = 0.5;
  study.search.keys = keys;
  return study;
}

}  // namespace

TEST_CASE("combinations come with the last key fastest, as many as asked for") {
  const Study study =
      study_of({{"train.epochs", {"1", "2"}}, {"model.bias", {"false"}}, {"train.batch_size", {"8", "full", "4"}}});
  const std::vector<Values> all = {{"1", "false", "8"}, {"1", "false", "full"}, {"1", "false", "4"},
                                   {"2", "false", "8"}, {"2", "false", "full"}, {"2", "false", "4"}};
  CHECK(first_combinations(study, 100) == all);
  CHECK(first_combinations(study, 6) == all);
  CHECK(first_combinations(study, 4) == std::vector<Values>(all.begin(), all.begin() + 4));
}

TEST_CASE("a study without searched keys is its only combination") {
  CHECK(first_combinations(study_of({}), 100) == std::vector<Values>{{}});
}
