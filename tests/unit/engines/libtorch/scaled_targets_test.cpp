// Training on scaled targets, in both engines: compared with targets that were scaled before.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "data/synthetic.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t rows = 60, features = 3, outputs = 2;

// Targets of very different means, and of deviations around 40.
DataSet sample_data() {
  DataOptions options = test::plain_data();
  options.source = DataSource::synthetic;
  options.draw = Draw::study;
  options.relation = Relation::linear;
  options.task = Task::regression;
  options.rows = rows;
  options.columns = features;
  options.outputs = outputs;
  const DataSet drawn = draw_synthetic(options, 4);
  std::vector<float> targets;
  for (std::int64_t index = 0; index < rows * outputs; ++index)
    targets.push_back(
        static_cast<float>(40 * double{drawn.targets[index]} + 500.0 * static_cast<double>(index % outputs)));
  return regression_data(features, {drawn.features, drawn.features + rows * features}, targets, outputs);
}

Study study_of(EngineKind engine, ModelKind kind, Precision precision) {
  Study study = plain_study();
  study.run.engine = engine;
  study.run.curves = true;
  study.run.models = ModelsSaved::all;
  study.data.task = Task::regression;
  study.data.validation = 0.25;
  study.model.kind = kind;
  study.train.loss = LossKind::mse;
  study.train.epochs = 4;
  study.train.batch_size = 8;
  study.train.optimizer = OptimizerKind::adam;
  study.train.precision = precision;
  study.ensemble.members = 2;  // so that predictions are returned
  return study;
}

}  // namespace

TEST_CASE("scaled targets give the losses, scores and predictions of targets that were scaled before, in their units") {
  const auto engine = GENERATE(EngineKind::native, EngineKind::torch);
  const auto kind = GENERATE(ModelKind::linear, ModelKind::mlp);
  Study study = study_of(engine, kind, Precision::float64);
  const DataSet plain = sample_data();
  const auto split = Splits(study, plain).split(0, 0);
  const TargetScaling scaling = target_scaling(plain, split->training_rows);

  std::vector<float> scaled_targets;
  for (std::int64_t index = 0; index < rows * outputs; ++index)
    scaled_targets.push_back(scaling.scaled<float>(plain.targets[index], index % outputs));
  const DataSet scaled =
      regression_data(features, {plain.features, plain.features + rows * features}, scaled_targets, outputs);
  const TrainedIteration expected = train_first(study, &scaled);
  study.data.normalize_targets = NormalizeTargets::standard;
  const TrainedIteration found = train_first(study, &plain);

  constexpr double rounding = 1e-5;  // of the scaled targets to float
  const double squared = scaling.unit * scaling.unit;
  CHECK(found.result.final_loss == Approx(expected.result.final_loss * squared).epsilon(rounding));
  CHECK(found.result.validation_loss == Approx(expected.result.validation_loss * squared).epsilon(rounding));
  CHECK(found.result.validation_score == Approx(expected.result.validation_score).epsilon(rounding));
  REQUIRE(found.epochs.size() == 4);
  CHECK(found.epochs[0].training_loss == Approx(expected.epochs[0].training_loss * squared).epsilon(rounding));
  REQUIRE(found.predictions.size() == expected.predictions.size());
  for (std::size_t at = 0; at < found.predictions.size(); ++at) {
    const double shift = double{scaling.shift[at % outputs]};
    CHECK(double{found.predictions[at]} ==
          Approx(double{expected.predictions[at]} * scaling.unit + shift).margin(0.01));
  }
  // The last layer of the saved network has outputs in the units of the targets.
  const auto& parameters = found.network.parameters;
  CHECK(double{parameters.back()} ==
        Approx(double{expected.network.parameters.back()} * scaling.unit + double{scaling.shift.back()}).margin(0.01));
  CHECK(found.network.parameters.front() == Approx(kind == ModelKind::linear
                                                       ? expected.network.parameters.front() * scaling.unit
                                                       : double{expected.network.parameters.front()})
                                                .margin(1e-3));
}

TEST_CASE("without shuffling and weights, a summed loss is reduced in the units of the targets too") {
  const auto engine = GENERATE(EngineKind::native, EngineKind::torch);
  Study study = study_of(engine, ModelKind::linear, Precision::float64);
  study.data.normalize_targets = NormalizeTargets::standard;
  study.train.optimizer = OptimizerKind::sgd;
  study.train.learning_rate = 1e-12;
  study.model.initialization = Initialization::zeros;
  const DataSet plain = sample_data();
  const auto split = Splits(study, plain).split(0, 0);
  // A network of zeros predicts the means: its loss is the mean of the variances.
  const double variance = std::pow(target_scaling(plain, split->training_rows).unit, 2);
  for (const auto reduction : {Reduction::mean, Reduction::sum}) {
    study.train.reduction = reduction;
    CHECK(train_first(study, &plain).result.final_loss == Approx(variance).epsilon(1e-6));
  }
}
