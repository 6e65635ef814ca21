// SPDX-License-Identifier: MIT
#include "engines/xgboost/xgboost_trainer.hpp"

#include <utility>

#include "data/synthetic.hpp"
#include "engines/xgboost/xgboost_engine.hpp"
#include "models/saved_model.hpp"
#include "models/tree_model_file.hpp"
#include "support/catch.hpp"
#include "support/epochs.hpp"
#include "support/one_training.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

Study study_of_trees(Task task) {
  Study study = test::regression_study();
  study.data = drawn_classes(200, 6, 3);
  study.data.normalize = Normalize::none;
  study.data.validation = 0.3;
  study.data.task = task;
  study.data.relation = Relation::linear;
  study.model.kind = ModelKind::boosted_trees;
  study.train.loss = default_loss(task);
  if (task == Task::regression) study.data.outputs = 2;
  if (task == Task::regression) study.data.normalize_targets = NormalizeTargets::standard;
  return study;
}

OneTraining training_of(const Study& study) {
  return {study, draw_synthetic(study.data, 5)};
}

// The model of a training as a file, opened for prediction.
OpenedModel opened(const OneTraining& training, const Study& study, NetworkState state) {
  const TrainingTask task = training.task();
  SavedModel model;
  model.description.model = task.trial.model;
  model.description.task = study.data.task;
  model.description.loss = loss_function(task.trial.train);
  model.description.shape = {0, task.data.feature_count, task.data.output_count, {}};
  model.network = std::move(state);
  OpenedModel file;
  file.trained = parse_tree_model(tree_model_file_bytes(model), "trees.json");
  return file;
}

}  // namespace

TEST_CASE("a round lowers the training loss, and a restored training goes on with the same bits") {
  const Task task = GENERATE(Task::classification, Task::regression);
  const Study study = study_of_trees(task);
  const OneTraining training = training_of(study);
  const auto trainer = make_xgboost_trainer(), other = make_xgboost_trainer();
  Epochs epochs(*trainer, training.task());
  std::vector<double> losses;
  std::vector<float> outputs, expected;
  ByteWriter state;
  for (int round = 0; round < 12; ++round) {
    losses.push_back(epochs.train_epoch());
    epochs.evaluate(training.validation_rows(), outputs);
    if (round == 4) epochs.save(state);
  }
  CHECK(losses.back() < 0.9 * losses.front());
  const double loss = epochs.evaluate(training.validation_rows(), expected);

  Epochs resumed(*other, training.task());
  ByteReader reader(state.bytes());
  resumed.restore(reader);
  for (int round = 5; round < 12; ++round) CHECK(resumed.train_epoch() == losses[static_cast<std::size_t>(round)]);
  CHECK(resumed.evaluate(training.validation_rows(), outputs) == loss);
  CHECK(outputs == expected);
}

TEST_CASE("the state of an earlier round becomes a model with the trees up to that round") {
  const Task task = GENERATE(Task::classification, Task::regression);
  const Study study = study_of_trees(task);
  const OneTraining training = training_of(study);
  const auto trainer = make_xgboost_trainer();
  Epochs epochs(*trainer, training.task());
  NetworkState state;
  std::vector<float> expected, ignored;
  for (int round = 0; round < 9; ++round) {
    epochs.train_epoch();
    epochs.evaluate(training.validation_rows(), round == 5 ? expected : ignored);
    if (round == 5) state = trainer->network();
  }
  CHECK((state.rounds == 6 && state.trees.empty() && !state.empty()));
  trainer->complete(state);
  const OpenedModel model = opened(training, study, state);
  const TrainingTask rows = training.task();
  const auto predictor =
      xgboost_engine().make_predictor(model, {rows.data.feature_count}, rows.data.output_count, core_lane);
  std::vector<float> features;
  for (const std::int64_t row : training.validation_rows())
    features.insert(features.end(), rows.data.features + row * rows.data.feature_count,
                    rows.data.features + (row + 1) * rows.data.feature_count);
  std::vector<float> found(expected.size());
  CHECK(
      predictor->predict(features.data(), static_cast<std::int64_t>(training.validation_rows().size()), found.data()));
  for (std::size_t value = 0; value < found.size(); ++value)
    CHECK(found[value] == Approx(expected[value]).epsilon(1e-6).margin(1e-6));
}
