// SPDX-License-Identifier: MIT
#include "training/best_epoch.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

TrainOptions options_of(std::int64_t patience, double min_change = 0) {
  TrainOptions train = test::plain_training();
  train.patience = patience;
  train.min_change = min_change;
  return train;
}

// The epochs that a training takes with these values, and its best epoch.
struct Found {
  std::int64_t epochs;
  std::int64_t best;
};

Found found(const TrainOptions& train, const std::vector<double>& values) {
  BestEpoch best(train);
  std::int64_t epochs = 0;
  for (const double value : values) {
    best.add(epochs++, value);
    if (best.must_stop()) break;
  }
  return {epochs, best.epoch().value_or(-1)};
}

// The rule of Keras, written as its documentation states it.
Found by_keras(std::int64_t patience, double min_delta, bool maximum, const std::vector<double>& values) {
  double best = maximum ? -INFINITY : INFINITY;
  std::int64_t best_epoch = -1, wait = 0, epoch = 0;
  for (; epoch < static_cast<std::int64_t>(values.size()); ++epoch) {
    const double value = values[static_cast<std::size_t>(epoch)];
    ++wait;
    if (maximum ? value - min_delta > best : value + min_delta < best) {
      best = value;
      best_epoch = epoch;
      wait = 0;
    } else if (wait >= patience) {
      return {epoch + 1, best_epoch};
    }
  }
  return {epoch, best_epoch};
}

}  // namespace

TEST_CASE("a training stops after as many epochs without improvement as its patience") {
  const std::vector<double> values = {5, 4, 4, 4.5, 3, 3.5, 3.2, 3.1, 2};
  CHECK(found(options_of(2), values).epochs == 4);
  CHECK(found(options_of(2), values).best == 1);  // the first of ties
  CHECK(found(options_of(3), values).epochs == 8);
  CHECK(found(options_of(3), values).best == 4);
  CHECK(found(options_of(4), values).epochs == 9);
  CHECK(found(options_of(4), values).best == 8);
}

TEST_CASE("an improvement is larger than min_change, and values that are not finite are none") {
  CHECK(found(options_of(3, 1), {5, 4.5, 4, 3.9, 9}).best == 3);
  CHECK(found(options_of(2, 1), {5, 4.5, 4, 3.5, 9}).epochs == 3);
  CHECK(found(options_of(2), {not_a_number, not_a_number, 1}).epochs == 2);
  CHECK(found(options_of(2), {not_a_number, not_a_number, 1}).best == -1);
  CHECK(found(options_of(2), {2, -std::numeric_limits<double>::infinity(), 1, 3}).best == 2);
}

TEST_CASE("epochs and best epoch are those of Keras's rule, for losses and for metrics of which more is better") {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const bool maximum = repeat % 2 == 1;
    const auto patience = static_cast<std::int64_t>(1 + random() % 6);
    const double min_change = repeat % 3 == 0 ? 0 : 0.125 * static_cast<double>(random() % 4);
    std::vector<double> values;
    for (int epoch = 0; epoch < 30; ++epoch)  // with ties; differences are exact
      values.push_back(0.125 * static_cast<double>(random() % 40) + (maximum ? 1 : -1) * 0.25 * epoch);
    TrainOptions train = options_of(patience, min_change);
    if (maximum) train.stop_on = MetricKind::accuracy;
    const Found expected = by_keras(patience, min_change, maximum, values), actual = found(train, values);
    CHECK(actual.epochs == expected.epochs);
    CHECK(actual.best == expected.best);
  }
}

TEST_CASE("without patience a training never stops; what it has seen can be saved and restored") {
  TrainOptions train = options_of(0);
  CHECK_FALSE(BestEpoch(train).is_on());
  train.best_weights = true;
  BestEpoch best(train);
  CHECK(best.is_on());
  for (int epoch = 0; epoch < 100; ++epoch) best.add(epoch, epoch == 3 ? 1 : 2);
  CHECK_FALSE(best.must_stop());
  ByteWriter state;
  best.save(state);
  BestEpoch other(train);
  ByteReader reader(state.bytes());
  other.restore(reader, 100);
  CHECK(other.epoch() == 3);
  CHECK_FALSE(other.add(100, 1));
  CHECK(other.add(101, 0.5));
  ByteReader again(state.bytes());
  CHECK_THROWS_AS(other.restore(again, 50), RunError);  // more epochs without improvement than epochs
}
