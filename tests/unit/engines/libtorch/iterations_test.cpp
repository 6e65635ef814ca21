// Tests how iterations differ and that their results do not depend on engines, claims and lanes.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "data/synthetic.hpp"
#include "engines/lane_engine.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/small_studies.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// A study with every random element: folds, members with bootstraps, dropout and shuffling.
Study random_study() {
  Study study = test::regression_study();
  study.run.engine = GENERATE(EngineKind::torch, EngineKind::native);
  study.study.seed = 3;
  study.data = drawn_classes(90, 6, 3);
  study.data.normalize = Normalize::standard;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {10};
  study.model.dropout = 0.2;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  study.train.epochs = 3;
  study.train.batch_size = 16;
  study.search.folds = 3;
  study.ensemble.members = 2;
  study.ensemble.bootstrap = true;
  return study;
}

struct Result {
  double loss, validation_loss, score;
  std::vector<float> predictions;
  bool operator==(const Result& other) const {
    return loss == other.loss && validation_loss == other.validation_loss && score == other.score &&
           predictions == other.predictions;
  }
};

std::map<std::int64_t, Result> results_of(const std::vector<TrainedIteration>& trained) {
  std::map<std::int64_t, Result> results;
  for (const auto& iteration : trained) {
    const IterationResult& result = iteration.result;
    CHECK(iteration.message.empty());
    results[result.iteration] = {result.final_loss, result.validation_loss, result.validation_score,
                                 iteration.predictions};
  }
  return results;
}

}  // namespace

TEST_CASE("results do not depend on the engine object, the claims or their order") {
  const Study study = random_study();
  const DataSet data = draw_synthetic(study.data, 5);
  const auto expected = results_of(train_claims(study, &data, {{0, 6}}));
  REQUIRE(expected.size() == 6);
  CHECK(results_of(train_claims(study, &data, {{3, 5}, {5, 6}, {0, 1}, {2, 3}, {1, 2}})) == expected);
  std::set<double> losses;
  for (const auto& [number, result] : expected) losses.insert(result.loss);
  CHECK(losses.size() == 6);
}

TEST_CASE("lanes that train at the same time do not affect each other's results") {
  const Study study = random_study();
  const DataSet data = draw_synthetic(study.data, 5);
  const auto expected = results_of(train_claims(study, &data, {{0, 6}}));
  std::vector<TrainedIteration> first, second;
  std::thread lane([&] { first = train_claims(study, &data, {{0, 3}}); });
  second = train_claims(study, &data, {{3, 6}});
  lane.join();
  auto together = results_of(first);
  together.merge(results_of(second));
  CHECK(together == expected);
}

TEST_CASE("members of an ensemble train on their own bootstraps") {
  Study study = random_study();
  study.model = plain_model();
  study.model.initialization = Initialization::zeros;
  study.train.learning_rate = 0;
  study.train.batch_size = 0;
  study.train.loss = LossKind::mse;
  study.search.folds = 1;
  study.data.task = Task::regression;
  const DataSet data = draw_synthetic(study.data, 5);
  // At zero weights, the loss is the mean square of the training targets.
  const auto with = results_of(train_claims(study, &data, {{0, 2}}));
  CHECK(with.at(0).loss != with.at(1).loss);
  study.ensemble.bootstrap = false;
  const auto without = results_of(train_claims(study, &data, {{0, 2}}));
  CHECK(without.at(0).loss == Approx(without.at(1).loss).epsilon(1e-6));  // the float sum has another order
}

TEST_CASE("with data.draw = iteration, each iteration trains on data drawn from its seed") {
  Study study = random_study();
  study.data.draw = Draw::iteration;
  study.search.folds = 1;
  study.ensemble = {};
  study.data.validation = 0.25;
  study.study.iterations = 3;
  const auto own = results_of(train_claims(study, nullptr, {{0, 3}}));
  for (std::int64_t number = 0; number < 3; ++number) {
    const DataSet data = draw_synthetic(study.data, whole_plan(study).iteration(number).seed);
    CHECK(results_of(train_claims(study, &data, {{number, number + 1}})).at(number) == own.at(number));
  }
}

TEST_CASE("an iteration that cannot be trained does not affect other iterations") {
  if (!large_allocations_throw) return;
  Study study = random_study();
  study.run.engine = GENERATE(EngineKind::torch, EngineKind::native);
  study.run.retries = 1;
  study.search.method = SearchMethod::grid;
  study.model.kind = ModelKind::mlp;
  study.search.keys = {{"model.hidden", {"3", "1000000 1000000", "2"}}};  // the second candidate needs terabytes
  const DataSet data = draw_synthetic(study.data, 5);
  const std::int64_t each = whole_plan(study).iteration_count() / 3;
  const auto trained = train_claims(study, &data, {{0, 3 * each}});
  REQUIRE(trained.size() == static_cast<std::size_t>(3 * each));
  for (const auto& iteration : trained) {
    const bool failed = iteration.result.iteration / each == 1;
    CHECK(iteration.result.status == (failed ? IterationStatus::failed : IterationStatus::finished));
    CHECK(iteration.message.empty() != failed);
    CHECK(std::isfinite(iteration.result.final_loss) != failed);
  }
}

TEST_CASE("a stop request ends the claim between iterations") {
  const Study study = random_study();
  const DataSet data = draw_synthetic(study.data, 5);
  const Plan plan = whole_plan(study);
  Splits splits(study, data);
  const SettledStudy settled = test::settled(study);
  const auto engine = make_engine({settled, plan, &data, &splits}, {-1, 1});
  int trained = 0;
  engine->train({{0, 6}}, {[&](TrainedIteration&&) { ++trained; }, [&] { return trained == 2; }});
  CHECK(trained == 2);
}

TEST_CASE("searched values are used in training") {
  Study study = random_study();
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.epochs", {"1", "4"}}};
  const DataSet data = draw_synthetic(study.data, 5);
  const auto trained = train_claims(study, &data, {{0, 12}});
  CHECK(trained.at(0).result.epochs == 1);
  CHECK(trained.at(11).result.epochs == 4);
}
