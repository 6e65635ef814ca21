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

// Targets of very different means and deviations.
DataSet sample_data() {
  const DataSet drawn = draw_synthetic(drawn_numbers(rows, features, outputs), 4);
  std::vector<float> targets;
  for (std::int64_t index = 0; index < rows * outputs; ++index)
    targets.push_back(static_cast<float>((index % outputs == 0 ? 400 : 3) * double{drawn.targets[index]} +
                                         500.0 * static_cast<double>(index % outputs)));
  return regression_data(features, {drawn.features, drawn.features + rows * features}, targets, outputs);
}

Study study_of(EngineKind engine, ModelKind kind) {
  Study study = plain_study();
  study.run.engine = engine;
  study.run.curves = true;
  study.run.models = ModelsSaved::all;
  study.data.task = Task::regression;
  study.data.validation = 0.25;
  study.model.kind = kind;
  study.train.loss = LossKind::mse;
  study.search.metric = "r2";
  study.train.epochs = 4;
  study.train.batch_size = 8;
  study.train.optimizer = OptimizerKind::adam;
  study.train.precision = Precision::float64;
  study.ensemble.members = 2;  // so that predictions are returned
  return study;
}

}  // namespace

TEST_CASE("scaled targets give the losses, scores and predictions of targets that were scaled before, in their units") {
  const auto engine = GENERATE(EngineKind::native, EngineKind::torch);
  const auto kind = GENERATE(ModelKind::linear, ModelKind::mlp);
  Study study = study_of(engine, kind);
  study.train.reduction = GENERATE(Reduction::mean, Reduction::sum);
  study.train.loss = GENERATE(LossKind::mse, LossKind::mae);
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

  REQUIRE(found.predictions.size() == expected.predictions.size());
  REQUIRE(found.predictions.size() == 15 * outputs);
  std::vector<double> predicted, targets;
  for (std::size_t at = 0; at < found.predictions.size(); ++at) {
    const double unit = scaling.unit[at % outputs], shift = double{scaling.shift[at % outputs]};
    predicted.push_back(double{expected.predictions[at]} * unit + shift);
    CHECK(double{found.predictions[at]} == Approx(predicted.back()).epsilon(1e-4).margin(1e-3));
  }
  split->validation_rows.for_each([&](std::int64_t row) {
    for (std::int64_t output = 0; output < outputs; ++output)
      targets.push_back(double{plain.targets[row * outputs + output]});
  });
  double sum = 0;
  const int power = study.train.loss == LossKind::mse ? 2 : 1;
  for (std::size_t at = 0; at < targets.size(); ++at) sum += std::pow(std::abs(predicted[at] - targets[at]), power);
  CHECK(found.result.validation_loss == Approx(sum / static_cast<double>(targets.size())).epsilon(1e-4));
  CHECK(found.result.validation_score == Approx(expected.result.validation_score).epsilon(1e-4));
  // The last layer of the saved network has outputs in the units of the targets.
  CHECK(double{found.network.parameters.back()} ==
        Approx(double{expected.network.parameters.back()} * scaling.unit.back() + double{scaling.shift.back()})
            .epsilon(1e-4));
}

TEST_CASE("the delta of huber is in the units of the targets, also when they are scaled") {
  Study study = study_of(EngineKind::native, GENERATE(ModelKind::linear, ModelKind::mlp));
  study.train.loss = LossKind::huber;
  study.train.huber_delta = 5;  // less than a deviation of one output, more than one of the other
  study.train.epochs = 8;
  study.train.learning_rate = 0.02;
  study.data.normalize_targets = NormalizeTargets::standard;
  const DataSet data = sample_data();
  const TrainedIteration native = train_first(study, &data);
  study.run.engine = EngineKind::torch;
  const TrainedIteration torch = train_first(study, &data);
  CHECK(native.result.final_loss == Approx(torch.result.final_loss).epsilon(1e-10));
  CHECK(native.result.validation_loss == Approx(torch.result.validation_loss).epsilon(1e-10));
  const auto split = Splits(study, data).split(0, 0);
  double sum = 0;
  std::size_t at = 0;
  split->validation_rows.for_each([&](std::int64_t row) {
    for (std::int64_t output = 0; output < outputs; ++output, ++at) {
      const double size = std::abs(double{native.predictions[at]} - double{data.targets[row * outputs + output]});
      sum += size <= 5 ? size * size / 2 : 5 * (size - 2.5);
    }
  });
  CHECK(native.result.validation_loss == Approx(sum / static_cast<double>(at)).epsilon(1e-5));
}

TEST_CASE("the training loss of scaled targets is in their units") {
  Study study = study_of(GENERATE(EngineKind::native, EngineKind::torch), ModelKind::linear);
  study.data.normalize_targets = NormalizeTargets::standard;
  study.model.initialization = Initialization::zeros;
  study.train.optimizer = OptimizerKind::sgd;
  study.train.learning_rate = 1e-12;
  study.train.reduction = GENERATE(Reduction::mean, Reduction::sum);
  const DataSet plain = sample_data();
  const auto split = Splits(study, plain).split(0, 0);
  // A network of zeros predicts the means: its loss is the mean of the variances.
  const TargetScaling scaling = target_scaling(plain, split->training_rows);
  const double variance = (std::pow(scaling.unit[0], 2) + std::pow(scaling.unit[1], 2)) / 2;
  CHECK(train_first(study, &plain).result.final_loss == Approx(variance).epsilon(1e-6));
}

TEST_CASE("losses in the unit of the targets may be too large for float32") {
  const auto engine = GENERATE(EngineKind::native, EngineKind::torch);
  Study study = study_of(engine, ModelKind::mlp);
  study.train.precision = Precision::float32;
  study.data.normalize_targets = NormalizeTargets::standard;
  const DataSet plain = sample_data();
  std::vector<float> large;
  for (std::int64_t index = 0; index < rows * outputs; ++index) large.push_back(plain.targets[index] * 1e20f);
  const DataSet data = regression_data(features, {plain.features, plain.features + rows * features}, large, outputs);
  const TrainedIteration small_result = train_first(study, &plain), found = train_first(study, &data);
  CHECK(found.result.status == IterationStatus::finished);
  CHECK(found.result.final_loss == Approx(small_result.result.final_loss * 1e40).epsilon(1e-3));
  CHECK(found.result.validation_loss == Approx(small_result.result.validation_loss * 1e40).epsilon(1e-3));
}
