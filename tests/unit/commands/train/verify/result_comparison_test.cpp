// SPDX-License-Identifier: MIT
#include "commands/train/verify/result_comparison.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "support/sample_results.hpp"

namespace sheaf {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
constexpr Tolerance rounding{1e-2, 2e-2};
using Texts = std::vector<std::string>;

TrainedIteration trained() {
  TrainedIteration one = sample_iteration(3);
  one.result.final_loss = 0.5;
  one.result.validation_loss = 0.25;
  one.result.validation_score = 0.9;
  one.metrics = {0.1, nan};
  one.epochs = {{3, 0, 0.7, 0.6, 0.8}, {3, 1, 0.5, 0.25, 0.9}};
  one.epoch_metrics = {0.1, nan, 0.2, nan};
  one.predictions = {0.25f, 0.75f};
  return one;
}

Texts found(const TrainedIteration& now, const std::optional<Tolerance>& tolerance = std::nullopt) {
  return differences(now, {trained(), std::nullopt}, tolerance);
}

TEST_CASE("times and places do not count") {
  TrainedIteration now = trained();
  now.result.seconds = now.result.start_seconds = now.result.data_seconds = now.result.wait_seconds = 99;
  now.result.rank = now.result.lane = 9;
  now.result.earlier_seconds = 0;
  CHECK(found(now).empty());
}

TEST_CASE("each value of a result is compared by its bits") {
  const auto with = [](const auto& change) {
    TrainedIteration now = trained();
    change(now);
    CHECK(found(now).size() == 1);
    return found(now).at(0);
  };
  const double next = std::nextafter(0.5, 1);
  CHECK(with([&](auto& one) { one.result.final_loss = next; }) == "final_loss 0.5000000000000001 instead of 0.5");
  CHECK(with([](auto& one) { one.result.validation_loss = nan; }) == "validation_loss nan instead of 0.25");
  CHECK(with([](auto& one) { one.result.validation_score = 0.8; }) == "validation_score 0.8 instead of 0.9");
  CHECK(with([](auto& one) { one.result.epochs = 8; }) == "epochs 8 instead of 7");
  CHECK(with([](auto& one) { one.result.best_epoch = 5; }) == "best_epoch 5 instead of 4");
  CHECK(with([](auto& one) { --one.result.steps; }) == "steps 9007199254740992 instead of 9007199254740993");
  CHECK(with([](auto& one) { one.metrics[0] = 0.2; }) == "metrics[0] 0.2 instead of 0.1");
  CHECK(with([](auto& one) { one.metrics.pop_back(); }) == "length of metrics 1 instead of 2");
  CHECK(with([](auto& one) { one.rate_reductions = {4}; }) == "reductions of the learning rate [4] instead of []");
  CHECK(with([](auto& one) { one.epochs[1].training_loss = 1; }) == "curve[1].training_loss 1 instead of 0.5");
  CHECK(with([](auto& one) { one.epochs[0].validation_loss = 1; }) == "curve[0].validation_loss 1 instead of 0.6");
  CHECK(with([](auto& one) { one.epochs[0].validation_score = 1; }) == "curve[0].validation_score 1 instead of 0.8");
  CHECK(with([](auto& one) { one.epochs.pop_back(); }) == "length of curve 1 instead of 2");
  CHECK(with([](auto& one) { one.epoch_metrics[2] = 1; }) == "metrics of the curve[2] 1 instead of 0.2");
  CHECK(with([](auto& one) { one.predictions[1] = 0.5f; }) ==
        "1 of 2 predictions differ, by up to 0.25 (root mean square 0.18)");
  CHECK(with([](auto& one) { one.predictions.clear(); }) == "number of predictions 0 instead of 2");
}

TEST_CASE("another status is the only difference") {
  TrainedIteration now = trained();
  now.result.status = IterationStatus::failed;
  now.result.final_loss = nan;
  now.message = "no memory\n";
  CHECK(found(now) == Texts{"failed instead of finished (no memory?)"});
}

TEST_CASE("predictions and weights are compared if the run has them") {
  StoredIteration stored{trained(), std::nullopt};
  TrainedIteration now = trained();
  now.network = {{1, 2, 3}, {5}};
  stored.trained.predictions.clear();
  CHECK(differences(now, stored, std::nullopt).empty());
  stored.network = NetworkState{{1, 2, 4}, {5}};
  CHECK(differences(now, stored, std::nullopt) == Texts{"1 of 3 weights differ, by up to 1 (root mean square 0.58)"});
  CHECK(differences(now, stored, rounding).empty());
  stored.network = NetworkState{{1, 2, 3}, {6}};
  CHECK(differences(now, stored, std::nullopt) ==
        Texts{"1 of 1 buffers of the network differ, by up to 1 (root mean square 1)"});
}

TEST_CASE("to rounding, losses may differ by a part of their value, and values by a part of 1") {
  TrainedIteration now = trained();
  now.result.final_loss = 0.5049;
  now.result.validation_score = 0.915;
  now.metrics[0] = 0.115;
  now.predictions[0] = 0.27f;
  now.epochs[0].training_loss = 0.7001;
  CHECK(found(now, rounding).empty());
  now.result.final_loss = 0.506;
  now.metrics[0] = 0.125;
  now.predictions[0] = 0.285f;
  CHECK(found(now, rounding) == Texts{"final_loss 0.506 instead of 0.5", "metrics[0] 0.125 instead of 0.1",
                                      "1 of 2 predictions differ, by up to 0.035 (root mean square 0.025)"});
  now = trained();
  now.result.epochs = 8;
  CHECK(found(now, rounding).size() == 1);
}

TEST_CASE("a loss that is not finite agrees with others that are not") {
  StoredIteration stored{trained(), std::nullopt};
  TrainedIteration now = trained();
  stored.trained.result.status = now.result.status = IterationStatus::diverged;
  stored.trained.result.final_loss = infinity;
  now.result.final_loss = nan;
  CHECK(differences(now, stored, std::nullopt).size() == 1);
  CHECK(differences(now, stored, rounding).empty());
  now.result.final_loss = 1e30;
  CHECK(differences(now, stored, rounding).size() == 1);
}

}  // namespace
}  // namespace sheaf
