// SPDX-License-Identifier: MIT
#include "training/learning_rate.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t epoch_steps = 10;

TrainOptions options(Schedule schedule, double warmup_epochs = 0) {
  TrainOptions train;
  train.epochs = 4;
  train.learning_rate = 0.5;
  train.schedule = schedule;
  train.warmup_epochs = warmup_epochs;
  train.plateau_factor = 0.25;
  train.plateau_patience = 2;
  train.step_epochs = 2;
  train.exponential_factor = 0.75;
  return train;
}

// Validation losses, and the rates after each of them, computed with PyTorch 1.13:
//   scheduler = ReduceLROnPlateau(SGD([parameter], lr=0.5), factor=0.25, patience=2)
const double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> losses = {1,    0.9, 0.89995, 0.9, 0.95, 0.91, 0.8, 0.8, nan, 0.79999,
                                    0.85, 0.7, 0.7,     0.7, 0.7,  0.7,  0.7, 0.7, 0.69};
const std::vector<double> rates = {0.5,       0.5,       0.5,       0.5,         0.125,      0.125,   0.125,
                                   0.125,     0.125,     0.03125,   0.03125,     0.03125,    0.03125, 0.03125,
                                   0.0078125, 0.0078125, 0.0078125, 0.001953125, 0.001953125};

}  // namespace

TEST_CASE("a constant learning rate does not change") {
  const LearningRate rate(options(Schedule::constant), epoch_steps);
  for (const std::int64_t step : {0, 1, 39, 1000}) CHECK(rate(step) == 0.5);
}

TEST_CASE("a warm-up rises to the initial learning rate, and the schedule follows") {
  const LearningRate constant(options(Schedule::constant, 0.5), epoch_steps);
  for (std::int64_t step = 0; step < 5; ++step) CHECK(constant(step) == Approx(0.1 * static_cast<double>(step + 1)));
  CHECK(constant(5) == 0.5);
  const LearningRate cosine(options(Schedule::cosine, 0.5), epoch_steps);
  CHECK(cosine(4) == 0.5);
  CHECK(cosine(5) == 0.5);
  CHECK(cosine(5 + 7) == Approx(0.25 * (1 + std::cos(3.14159265358979 * 7 / 35))));
  CHECK(cosine(39) == Approx(0.25 * (1 + std::cos(3.14159265358979 * 34 / 35))));
  const LearningRate only_warmup(options(Schedule::cosine, 4), epoch_steps);
  CHECK(only_warmup(39) == 0.5);
}

TEST_CASE("a cosine falls from the initial learning rate to zero over all steps") {
  const LearningRate rate(options(Schedule::cosine), epoch_steps);
  CHECK(rate(0) == 0.5);
  CHECK(rate(20) == Approx(0.25));
  CHECK(rate(39) == Approx(0.5 * std::pow(std::sin(3.14159265358979 / 80), 2)));
}

TEST_CASE("learning rates that are multiplied by a factor fall after whole epochs, as with PyTorch") {
  const LearningRate step(options(Schedule::step), epoch_steps);
  CHECK(step(19) == 0.5);
  CHECK(step(20) == Approx(0.05).epsilon(1e-14));
  CHECK(step(39) == Approx(0.05).epsilon(1e-14));
  const LearningRate exponential(options(Schedule::exponential), epoch_steps);
  CHECK(exponential(9) == 0.5);
  CHECK(exponential(10) == Approx(0.375).epsilon(1e-14));
  CHECK(exponential(39) == Approx(0.2109375).epsilon(1e-14));
  const LearningRate later(options(Schedule::exponential, 0.5), epoch_steps);  // epochs count from the warm-up
  CHECK(later(14) == 0.5);
  CHECK(later(15) == Approx(0.375).epsilon(1e-14));
}

TEST_CASE("linear, one_cycle and coslog change step by step over the steps after the warm-up") {
  const double nothing = 1e-16;
  // Rates of 40 steps. The first two were computed with PyTorch 1.13: LinearLR(optimizer, 1, 0, total_iters=40) and
  // OneCycleLR(optimizer, 0.5, total_steps=40); the third with Python's math.
  const std::vector<std::pair<Schedule, std::vector<std::pair<std::int64_t, double>>>> schedules = {
      {Schedule::linear, {{0, 0.5}, {1, 0.4875}, {20, 0.25}, {39, 0.0125}}},
      {Schedule::one_cycle,
       {{0, 0.02}, {5, 0.22584443881441152}, {11, 0.5}, {12, 0.4984280587611008}, {25, 0.250001}, {39, 2e-06}}},
      {Schedule::coslog,
       {{0, 0},
        {1, 0.4919222134614378},
        {3, 0.03680946709292768},
        {8, 0},
        {10, 0.24674463773239871},
        {30, 0.43782886554038636},
        {39, 0.005755031017213502}}}};
  for (const auto& [schedule, expected] : schedules) {
    TrainOptions longer = options(schedule, 1);
    ++longer.epochs;
    const LearningRate rate(options(schedule), epoch_steps), later(longer, epoch_steps);
    for (const auto& [step, value] : expected) {
      CAPTURE(static_cast<int>(schedule), step);
      CHECK(rate(step) == Approx(value).epsilon(1e-13).margin(nothing));
      CHECK(later(epoch_steps + step) == rate(step));
    }
  }
}

TEST_CASE("one_cycle equals PyTorch's OneCycleLR for any number of steps") {
  const std::vector<std::vector<double>> rates_of = {{2e-06},
                                                     {0.4058728269748815, 2e-06},
                                                     {0.49720771772545586, 0.23131855133348753, 2e-06},
                                                     {0.02, 0.4058728269748815, 0.14153049910434962, 2e-06}};
  for (const auto& expected : rates_of) {
    TrainOptions train = options(Schedule::one_cycle);
    train.epochs = static_cast<std::int64_t>(expected.size());
    const LearningRate rate(train, 1);
    for (std::size_t step = 0; step < expected.size(); ++step)
      CHECK(rate(static_cast<std::int64_t>(step)) == Approx(expected[step]).epsilon(1e-13));
  }
}

TEST_CASE("the learning rate falls when the validation loss reaches a plateau, as with PyTorch") {
  LearningRate rate(options(Schedule::plateau), epoch_steps), constant(options(Schedule::constant), epoch_steps);
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
    const auto number = static_cast<std::int64_t>(epoch), next = (number + 1) * epoch_steps;
    rate.validated(number, losses[epoch]);
    constant.validated(number, losses[epoch]);
    CHECK(rate(next) == rates[epoch]);
    CHECK(constant(next) == 0.5);
  }
  CHECK(rate.reductions() == std::vector<std::int64_t>{4, 9, 14, 17});
  CHECK(constant.reductions().empty());
}

TEST_CASE("known reductions of a plateau give the rates of the training that found them, in each of its steps") {
  TrainOptions train = options(Schedule::plateau, 0.5);
  train.epochs = static_cast<std::int64_t>(losses.size());
  LearningRate fit(train, epoch_steps);
  std::vector<double> found;
  for (std::size_t epoch = 0; epoch < losses.size(); ++epoch) {
    const auto first = static_cast<std::int64_t>(epoch) * epoch_steps;
    for (std::int64_t step = first; step < first + epoch_steps; ++step) found.push_back(fit(step));
    fit.validated(static_cast<std::int64_t>(epoch), losses[epoch]);
  }
  const LearningRate refit(train, epoch_steps, fit.reductions());
  for (std::size_t step = 0; step < found.size(); ++step) CHECK(refit(static_cast<std::int64_t>(step)) == found[step]);
  CHECK(refit(49) == 0.5);  // until the end of epoch 4
  CHECK(refit(50) == 0.125);
}

TEST_CASE("a saved learning rate continues in the same way") {
  for (std::size_t saved = 0; saved < losses.size(); ++saved) {
    LearningRate first(options(Schedule::plateau), epoch_steps), second = first;
    const auto number = [](std::size_t epoch) { return static_cast<std::int64_t>(epoch); };
    for (std::size_t epoch = 0; epoch < saved; ++epoch) first.validated(number(epoch), losses[epoch]);
    ByteWriter state;
    first.save(state);
    ByteReader read(state.bytes());
    second.restore(read);
    CHECK(read.is_at_end());
    for (std::size_t epoch = saved; epoch < losses.size(); ++epoch) {
      second.validated(number(epoch), losses[epoch]);
      CHECK(second((number(epoch) + 1) * epoch_steps) == rates[epoch]);
    }
  }
  const LearningRate rate(options(Schedule::plateau), epoch_steps);
  const auto restores = [](const LearningRate& saved, LearningRate other) {
    ByteWriter state;
    saved.save(state);
    ByteReader read(state.bytes());
    other.restore(read);
  };
  CHECK_NOTHROW(restores(rate, rate));
  CHECK_THROWS_AS(restores(rate, LearningRate(options(Schedule::plateau), epoch_steps + 1)), RunError);
  CHECK_NOTHROW(restores(LearningRate(options(Schedule::plateau), epoch_steps, {2}), rate));
  CHECK_THROWS_AS(restores(rate, LearningRate(options(Schedule::plateau), epoch_steps, {2})), RunError);
  CHECK_THROWS_AS(restores(LearningRate(options(Schedule::plateau), epoch_steps, {3, 2}), rate), RunError);
}
