// SPDX-License-Identifier: MIT
#include "study/plan.hpp"

#include <set>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

Study searched_study() {
  Study study;
  study.study.seed = 7;
  study.study.iterations = 2;
  study.search.method = SearchMethod::grid;
  study.search.folds = 3;
  study.search.repeats = 2;
  study.ensemble.members = 4;
  study.model.kind = ModelKind::mlp;
  study.search.keys = {{"model.hidden", {"16", "64 32"}}, {"train.learning_rate", {"0.1", "0.01", "0.001"}}};
  return study;
}

}  // namespace

TEST_CASE("a plain study has one trial and its iterations are repeats") {
  Study study;
  study.study.iterations = 10;
  const Plan plan(study);
  CHECK(plan.iteration_count() == 10);
  CHECK(plan.trial_count() == 1);
  CHECK(plan.iteration(9).repeat == 9);
  CHECK(plan.iteration(9).trial == 0);
}

TEST_CASE("iterations are numbered trial, repeat, fold, member") {
  const Plan plan(searched_study());
  CHECK(plan.trial_count() == 6);
  CHECK(plan.repeats() == 4);
  CHECK(plan.iteration_count() == 6 * 4 * 3 * 4);
  std::set<std::uint64_t> seeds;
  for (std::int64_t number = 0; number < plan.iteration_count(); ++number) {
    const Iteration iteration = plan.iteration(number);
    CHECK(plan.number_of(iteration.trial, iteration.repeat, iteration.fold, iteration.member) == number);
    seeds.insert(iteration.seed);
  }
  CHECK(seeds.size() == static_cast<std::size_t>(plan.iteration_count()));
  CHECK(plan.iteration(1).member == 1);
  CHECK(plan.iteration(4).fold == 1);
  CHECK(plan.iteration(12).repeat == 1);
  CHECK(plan.iteration(48).trial == 1);
}

TEST_CASE("trials are every combination, the last key fastest") {
  const Plan plan(searched_study());
  CHECK(plan.searched_keys() == std::vector<std::string>{"model.hidden", "train.learning_rate"});
  CHECK(plan.trial(0).values == std::vector<std::string>{"16", "0.1"});
  CHECK(plan.trial(1).values == std::vector<std::string>{"16", "0.01"});
  CHECK(plan.trial(5).values == std::vector<std::string>{"64 32", "0.001"});
  CHECK(plan.trial(5).model.hidden == std::vector<std::int64_t>{64, 32});
  CHECK(plan.trial(5).train.learning_rate == 0.001);
}

TEST_CASE("each network is visited once, by its first trial") {
  Study study = searched_study();
  study.search.keys.push_back({"train.precision", {"float32", "float64"}});
  const Plan plan(study);
  std::vector<std::int64_t> numbers;
  plan.for_each_network([&](std::int64_t number, const Trial& trial) {
    CHECK(trial.values == plan.trial(number).values);
    numbers.push_back(number);
  });
  CHECK(numbers == std::vector<std::int64_t>{0, 1, 6, 7});
  CHECK(plan.first_of_network(11) == 7);
  CHECK(plan.first_of_network(4) == 0);
}

TEST_CASE("more iterations than can be numbered are refused before any is made") {
  Study study = searched_study();
  study.study.iterations = 1'000'000'000;
  CHECK_THROWS_AS(Plan(study), UsageError);
  study.study.iterations = std::int64_t{1} << 62;
  CHECK_THROWS_AS(Plan(study), UsageError);
}
