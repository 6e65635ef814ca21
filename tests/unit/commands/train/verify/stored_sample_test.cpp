// SPDX-License-Identifier: MIT
#include "commands/train/verify/stored_sample.hpp"

#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/sample_results.hpp"

namespace sheaf {
namespace {

using Numbers = std::vector<std::int64_t>;

JournalHeader header_of(const std::string& data, const ModelFingerprints& models = {}) {
  return {"0.18.0", "study", data, journal_format, models, {}, 0, {}, Platform{"b1", {{"native_engine", "AVX2"}}}};
}

void add(Replay& journals, std::int64_t number, IterationStatus status, std::size_t file) {
  TrainedIteration one = sample_iteration(number);
  one.result.status = status;
  journals.iterations.append(one, {}, file);
}

TEST_CASE("iterations that finished or diverged on the same data can be compared") {
  Replay journals;
  journals.headers = {header_of("data", {{"a.pt", "f1"}}), header_of("other"), header_of("data", {{"a.pt", "f2"}}),
                      std::nullopt, header_of("data")};
  add(journals, 0, IterationStatus::finished, 0);
  add(journals, 1, IterationStatus::diverged, 0);
  add(journals, 2, IterationStatus::pruned, 0);
  add(journals, 3, IterationStatus::unfinished, 0);
  add(journals, 4, IterationStatus::failed, 0);
  add(journals, 5, IterationStatus::finished, 1);
  add(journals, 6, IterationStatus::finished, 2);
  add(journals, 7, IterationStatus::finished, 3);
  add(journals, 8, IterationStatus::finished, 4);
  add(journals, 9, IterationStatus::pruned, 0);
  add(journals, 10, IterationStatus::cut, 0);
  journals.iterations.settle();
  const Comparable found = comparable_iterations(journals, header_of("data", {{"a.pt", "f1"}, {"b.pt", "f3"}}));
  CHECK(found.iterations == Numbers{0, 1, 7, 8, 10});
  CHECK(found.left_out.text() == "2 pruned, 1 unfinished, 1 failed, 2 trained on other data");
  CHECK_FALSE(LeftOut{}.text().has_value());
}

TEST_CASE("iterations that were cut are trained again for as many epochs") {
  StoredSample sample;
  for (const std::int64_t number : {3, 5}) {
    TrainedIteration one = sample_iteration(number);
    one.result.status = number == 5 ? IterationStatus::cut : IterationStatus::finished;
    one.result.epochs = 10 + number;
    sample.results.append(one, {}, 0);
  }
  sample.results.settle();
  CHECK(sample.cut_epochs() == std::map<std::int64_t, std::int64_t>{{5, 15}});
}

TEST_CASE("a whole training depends on one journal, a continued one on all") {
  Study study = test::regression_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.2", "0.3", "0.4"}}};
  Plan plan(study);
  Stage first = whole_stage(plan);
  first.to_epoch = 1;
  plan.add(first);
  Stage second = first;
  second.number = 1;
  second.trials = {{0, 2}};
  second.from_epoch = 1;
  second.to_epoch.reset();
  plan.add(second);
  StoredSample sample;
  sample.headers = {header_of("a"), header_of("b")};
  JournaledIteration stored{sample_iteration(1), {}, 1};
  stored.trained.result.earlier_seconds = 0;
  REQUIRE(sample.headers_of(stored, plan).size() == 1);
  CHECK(sample.headers_of(stored, plan).front()->data == "b");
  stored.trained.result.earlier_seconds = 0.5;
  CHECK(sample.headers_of(stored, plan).size() == 2);
  stored.trained.result.earlier_seconds = 0;
  stored.trained.result.iteration = plan.iterations_of(1).begin;
  CHECK(sample.headers_of(stored, plan).size() == 2);
}

}  // namespace
}  // namespace sheaf
