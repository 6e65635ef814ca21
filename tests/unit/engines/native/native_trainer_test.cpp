// Tests a native trainer that is started repeatedly and evaluated between epochs.
// SPDX-License-Identifier: MIT
#include "engines/native/native_trainer.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "data/synthetic.hpp"
#include "support/catch.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/regression_study.hpp"
#include "support/row_sets.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// The observable results of a training.
struct Outcome {
  std::vector<double> losses;  // of each epoch, then of the validation rows at the end
  std::vector<float> outputs;
  std::int64_t steps = 0;
};

bool same_bits(const Outcome& a, const Outcome& b) {
  const auto same = [](const auto& one, const auto& other) {
    return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(one[0])) == 0;
  };
  return same(a.losses, b.losses) && same(a.outputs, b.outputs) && a.steps == b.steps;
}

Outcome train(Trainer& trainer, const OneTraining& training, bool evaluate_in_between = false) {
  Outcome outcome;
  Epochs epochs(trainer, training.task());
  for (int epoch = 0; epoch < 4; ++epoch) {
    outcome.losses.push_back(epochs.train_epoch());
    if (evaluate_in_between) epochs.evaluate(training.validation_rows(), outcome.outputs);
  }
  outcome.losses.push_back(epochs.evaluate(training.validation_rows(), outcome.outputs));
  outcome.steps = epochs.steps();
  return outcome;
}

Outcome train_afresh(const OneTraining& training, bool evaluate_in_between = false) {
  return train(*make_native_trainer(), training, evaluate_in_between);
}

Study base_study(std::uint64_t seed) {
  Study study = test::regression_study();
  study.study.seed = seed;
  study.data = drawn_classes(150, 20, 5);
  study.data.normalize = Normalize::standard;
  study.data.validation = 0.3;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {30, 9};
  study.train.batch_size = 20;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  return study;
}

// Studies that differ in seeds, row counts, batches, tiles, precisions, losses and networks. Some have equal shapes, so
// that a trainer reuses its memory.
std::vector<Study> different_studies() {
  std::vector<Study> studies(17, base_study(1));
  studies[1].study.seed = 2;
  studies[2].data.rows = 230;
  studies[2].model.dropout = 0.4;
  studies[3].train.precision = Precision::float64;
  studies[3].train.optimizer = OptimizerKind::rmsprop;
  studies[3].train.momentum = 0.5;
  studies[4].model = test::plain_model();
  studies[4].train.batch_size = 0;
  studies[4].train.optimizer = OptimizerKind::sgd;
  studies[5].data.task = Task::regression;
  studies[5].data.outputs = 3;
  studies[5].train.loss = LossKind::mse;
  studies[6].train.learning_rate = 1e30;  // diverges
  studies[6].train.optimizer = OptimizerKind::sgd;
  studies[6].train.loss = LossKind::mse;
  studies[7].model.hidden = {2000};  // several tiles per batch
  studies[7].data.rows = 300;
  studies[7].train.batch_size = 0;
  studies[7].model.dropout = 0.2;
  studies[8].model.activation = Activation::tanh;
  studies[8].train.optimizer = OptimizerKind::sgd;
  studies[8].train.momentum = 0.9;
  studies[8].train.nesterov = true;
  studies[9].train.loss = LossKind::bce;
  studies[9].train.learning_rate = 0.1;
  studies[9].train.reduction = Reduction::sum;
  studies[10].model.initialization = Initialization::he;
  studies[10].train.optimizer = OptimizerKind::adamw;
  studies[10].train.weight_decay = 0.1;
  studies[11].data.rows = 230;
  studies[11].model.dropout = 0.1;
  studies[12].train.learning_rate = 1e30;  // diverges, in the shape of others
  studies[13].model.norm = Norm::layer;
  studies[14].model.norm = Norm::layer;
  studies[14].model.hidden = {30, 3};
  studies[14].train.optimizer = OptimizerKind::sgd;
  studies[15].train.clip_norm = 0.1;
  studies[16].train.clip_value = 0.01;
  return studies;
}

std::vector<std::unique_ptr<OneTraining>> trainings_of(const std::vector<Study>& studies) {
  std::vector<std::unique_ptr<OneTraining>> trainings;
  for (const Study& study : studies)
    trainings.push_back(std::make_unique<OneTraining>(study, draw_synthetic(study.data, study.study.seed)));
  return trainings;
}

}  // namespace

TEST_CASE("a trainer that is started again gives bitwise the same training as a new one") {
  const auto trainings = trainings_of(different_studies());
  std::vector<Outcome> expected;
  for (const auto& training : trainings) expected.push_back(train_afresh(*training));
  const auto trainer = make_native_trainer();
  for (std::size_t turn = 0; turn < 4 * trainings.size(); ++turn) {
    const std::size_t which = turn * (1 + turn / trainings.size()) % trainings.size();  // other neighbors in each round
    for (int again = 0; again < 2; ++again) {
      INFO("turn " << turn << ", study " << which << (again ? ", again" : ""));
      CHECK(same_bits(train(*trainer, *trainings[which]), expected[which]));
    }
  }
}

TEST_CASE("a trainer started again with the same trial uses the new weights, seed, rows and data") {
  Study study = base_study(1);
  study.train.batch_size = GENERATE(20, 0);
  const OneTraining first(study, draw_synthetic(study.data, 1)), other(study, draw_synthetic(study.data, 2));
  std::vector<std::int64_t> twice = first.task().rows.list();
  std::copy(twice.end() - 30, twice.end(), twice.begin());
  std::sort(twice.begin(), twice.end());
  const RowSet rows = row_set(twice);
  const std::vector<float> weights(first.task().weights.size(), 0.01f);
  const TrainingTask plain = first.task(), there = other.task();
  const std::vector<TrainingTask> tasks = {
      plain,
      {plain.trial, plain.layers, weights, plain.data, plain.split, plain.scaling, plain.rows, 77},
      {plain.trial, plain.layers, plain.weights, plain.data, plain.split, plain.scaling, rows, 78},
      {plain.trial, plain.layers, plain.weights, there.data, there.split, there.scaling, there.rows, 79}};
  const auto losses = [](Trainer& trainer, const TrainingTask& task) {
    Epochs epochs(trainer, task);
    return std::vector<double>{epochs.train_epoch(), epochs.train_epoch(), epochs.train_epoch()};
  };
  std::vector<std::vector<double>> expected;
  for (const TrainingTask& task : tasks) {
    expected.push_back(losses(*make_native_trainer(), task));
    CHECK(std::count(expected.begin(), expected.end(), expected.back()) == 1);
  }
  const auto trainer = make_native_trainer();
  for (std::size_t turn = 0; turn < 3 * tasks.size(); ++turn) {
    INFO("turn " << turn);
    CHECK(losses(*trainer, tasks[turn * 3 % tasks.size()]) == expected[turn * 3 % tasks.size()]);
  }
}

TEST_CASE("a trainer recognizes a trial by its values, not by its address") {
  Study study = base_study(1), other_study = study;
  other_study.train.learning_rate = 0.05;
  const OneTraining one(study, draw_synthetic(study.data, 1)), other(other_study, draw_synthetic(study.data, 1));
  Trial trial = one.task().trial;
  const TrainingTask task = one.task();
  const TrainingTask there{trial, task.layers, task.weights, task.data, task.split, task.scaling, task.rows, task.seed};
  const auto loss = [&](Trainer& trainer) { return Epochs(trainer, there).train_epoch(); };
  const auto trainer = make_native_trainer();
  const double before = loss(*trainer);
  trial = other.task().trial;
  const double after = loss(*trainer);
  CHECK(after == loss(*make_native_trainer()));
  CHECK(after != before);
}

TEST_CASE("evaluating between epochs does not change the training") {
  const auto trainings = trainings_of(different_studies());
  for (std::size_t which = 0; which < trainings.size(); ++which) {
    INFO("study " << which);
    CHECK(same_bits(train_afresh(*trainings[which], true), train_afresh(*trainings[which])));
  }
}
