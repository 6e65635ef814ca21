// Compares iterations of both engines with results computed by hand.
// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include <array>
#include <cmath>

#include "core/error.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "models/initial_weights.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"
#include "support/whole_plan.hpp"
#include "training/training_cost.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// The tolerance for sums of a few doubles.
constexpr double rounding = 1e-12;

const DataSet line = regression_data(1, {0, 1, 2, 3, 4}, {1, 3, 5, 7, 10});
const DataSet classes = classification_data(2, {1, 0, 0, 1, 2, 1, -1, 0.5f, 0.25f, -2}, {0, 1, 2, 2, 0}, 3);

// A study of one full-batch epoch in double with zeros as initial weights, for each engine in turn.
Study small_study(const DataSet& data) {
  Study study = test::regression_study();
  study.run.engine = GENERATE(EngineKind::torch, EngineKind::native);
  study.study.seed = 11;
  study.data.task = data.task;
  study.model.initialization = Initialization::zeros;
  study.train.epochs = 1;
  study.train.batch_size = 0;
  study.train.learning_rate = 0.1;
  study.train.precision = Precision::float64;
  return study;
}

// The initial weights and biases of the first iteration.
std::vector<float> first_weights(const Study& study, const DataSet& data) {
  return initial_weights(network_layout(study.model, shape_of(data, study.data)), study.model.initialization,
                         whole_plan(study).iteration(0).seed);
}

// The logits of `classes` with the initial weights, [5][3].
std::vector<std::array<double, 3>> first_logits(const Study& study) {
  const auto weights = first_weights(study, classes);
  std::vector<std::array<double, 3>> logits(5);
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t output = 0; output < 3; ++output)
      logits[row][output] = double{weights[2 * output]} * double{classes.features[2 * row]} +
                            double{weights[2 * output + 1]} * double{classes.features[2 * row + 1]} +
                            double{weights[6 + output]};
  return logits;
}

// The loss of the first full batch by its definition.
double first_loss(const Study& study) {
  const auto logits = first_logits(study);
  double sum = 0;
  for (std::size_t row = 0; row < 5; ++row) {
    const auto label = static_cast<std::size_t>(classes.labels[row]);
    double exponentials = 0;
    for (std::size_t output = 0; output < 3; ++output) {
      const double logit = logits[row][output], target = output == label ? 1 : 0;
      exponentials += std::exp(logit);
      if (study.train.loss == LossKind::mse) sum += (logit - target) * (logit - target);
      if (study.train.loss == LossKind::bce) sum += std::log1p(std::exp(logit)) - target * logit;
    }
    if (study.train.loss == LossKind::cross_entropy) sum += std::log(exponentials) - logits[row][label];
  }
  return sum / (study.train.loss == LossKind::cross_entropy ? 5 : 15);
}

}  // namespace

TEST_CASE("an SGD step of a linear regression equals the computation by hand") {
  Study study = small_study(line);
  study.train.epochs = 2;
  const bool sum = GENERATE(false, true);
  study.train.reduction = sum ? Reduction::sum : Reduction::mean;
  if (sum) study.train.learning_rate = 0.02;  // one fifth, for the same step
  const auto result = train_first(study, &line).result;
  // At zero weights, the gradient of the mean square is -2/5 sum x y = -2/5 * 74 in w and -2/5 * 26 in b.
  const double w = 0.1 * 2 * 74 / 5, b = 0.1 * 2 * 26 / 5;
  double loss = 0;
  for (int row = 0; row < 5; ++row) {
    const double residual = w * double{line.features[row]} + b - double{line.targets[row]};
    loss += residual * residual;
  }
  CHECK(result.final_loss == Approx(loss / 5).epsilon(rounding));
  CHECK(result.status == IterationStatus::finished);
  CHECK(result.iteration == 0);
  CHECK(result.engine == EngineName(study.run.engine == EngineKind::torch ? "torch" : "native"));
  CHECK(result.epochs == 2);
  CHECK(result.steps == 2);
  CHECK(result.seconds > 0);
  CHECK(std::isnan(result.validation_loss));
}

TEST_CASE("the reported loss is the mean of its definition over the rows, with either reduction") {
  Study study = small_study(classes);
  study.model.initialization = Initialization::pytorch;
  study.train.loss = GENERATE(LossKind::mse, LossKind::cross_entropy, LossKind::bce);
  study.train.reduction = GENERATE(Reduction::mean, Reduction::sum);
  CHECK(train_first(study, &classes).result.final_loss == Approx(first_loss(study)).epsilon(rounding));
}

TEST_CASE("a shorter last batch is trained and counts by its number of rows") {
  Study study = small_study(classes);
  study.model.initialization = Initialization::pytorch;
  study.train.loss = LossKind::cross_entropy;
  study.train.reduction = GENERATE(Reduction::mean, Reduction::sum);
  study.train.learning_rate = 0;  // every batch uses the initial weights
  study.train.epochs = 3;
  study.train.batch_size = 2;
  const auto result = train_first(study, &classes).result;
  CHECK(result.steps == 9);
  CHECK(result.final_loss == Approx(first_loss(study)).epsilon(rounding));
  study.train.batch_size = 100;  // more rows than the data has
  CHECK(train_first(study, &classes).result.steps == 3);
}

TEST_CASE("float32 trainings agree with float64 to float precision") {
  Study study = small_study(classes);
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {8};
  study.model.initialization = Initialization::glorot;
  study.train.loss = LossKind::cross_entropy;
  study.train.epochs = 5;
  const double in_double = train_first(study, &classes).result.final_loss;
  study.train.precision = Precision::float32;
  const double in_float = train_first(study, &classes).result.final_loss;
  CHECK(in_float != in_double);
  CHECK(in_float == Approx(in_double).epsilon(1e-5));  // about a hundred roundings to float
}

TEST_CASE("a diverged training stops in its epoch and reports the loss") {
  Study study = small_study(line);
  study.train.precision = Precision::float32;
  study.train.learning_rate = 1e30;
  study.train.epochs = 10;
  study.data.validation = 0.2;
  study.ensemble.members = 2;
  const auto trained = train_first(study, &line);
  CHECK(trained.result.status == IterationStatus::diverged);
  CHECK_FALSE(std::isfinite(trained.result.final_loss));
  CHECK(trained.result.epochs == 2);
  CHECK(trained.result.steps == 2);
  CHECK(std::isnan(trained.result.validation_score));
  CHECK(trained.predictions.empty());
}

TEST_CASE("sample weights affect the training loss and not the validation") {
  Study study = small_study(line);
  study.train.epochs = 2;
  study.data.validation = 0.2;
  Splits splits(study, line);
  const auto split = splits.split(0, 0);
  const std::int64_t held_out = split->validation_rows.list().at(0);
  const DataSet data = weighted(line, {0.5f, 2, 0, 1, 3});
  const auto result = train_first(study, &data).result;
  // At zero weights, as above, with each row's term multiplied by its sample weight.
  double xy = 0, y = 0, loss = 0;
  for (const auto row : split->training_rows.list()) {
    const double target = double{line.targets[row]}, weight = double{data.weights[row]};
    xy += weight * double{line.features[row]} * target;
    y += weight * target;
  }
  double w = 0.1 * 2 * xy / 4, b = 0.1 * 2 * y / 4, dw = 0, db = 0;
  for (const auto row : split->training_rows.list()) {
    const double residual = w * double{line.features[row]} + b - double{line.targets[row]};
    const double weight = double{data.weights[row]};
    loss += weight * residual * residual / 4;
    dw += weight * 2 * residual * double{line.features[row]} / 4;
    db += weight * 2 * residual / 4;
  }
  w -= 0.1 * dw;
  b -= 0.1 * db;
  CHECK(result.final_loss == Approx(loss).epsilon(rounding));
  CHECK(
      result.validation_loss ==
      Approx(std::pow(w * double{line.features[held_out]} + b - double{line.targets[held_out]}, 2)).epsilon(rounding));
}

TEST_CASE("curves have every epoch, and recording them does not change the training") {
  Study study = small_study(classes);
  study.data.validation = 0.4;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {8};
  study.model.dropout = 0.5;
  study.model.initialization = Initialization::pytorch;
  study.train.loss = LossKind::cross_entropy;
  study.train.batch_size = 2;
  study.train.epochs = 4;
  study.ensemble.members = 2;
  const auto plain = train_first(study, &classes);
  CHECK(plain.epochs.empty());
  study.run.curves = true;
  const auto trained = train_first(study, &classes);
  CHECK(trained.predictions == plain.predictions);
  CHECK(trained.result.final_loss == plain.result.final_loss);
  CHECK(trained.result.validation_loss == plain.result.validation_loss);
  CHECK(trained.result.validation_score == plain.result.validation_score);
  REQUIRE(trained.epochs.size() == 4);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    // The reference is a training that ends after this epoch.
    study.train.epochs = epoch + 1;
    const auto shorter = train_first(study, &classes).result;
    const auto& found = trained.epochs[std::size_t(epoch)];
    CHECK(found.iteration == 0);
    CHECK(found.epoch == epoch);
    CHECK(found.training_loss == shorter.final_loss);
    CHECK(found.validation_loss == shorter.validation_loss);
    CHECK(found.validation_score == shorter.validation_score);
  }
}

TEST_CASE("curves without held-out rows have only training losses, and a diverged epoch is not validated") {
  Study study = small_study(line);
  study.run.curves = true;
  study.train.epochs = 3;
  const auto trained = train_first(study, &line);
  REQUIRE(trained.epochs.size() == 3);
  for (const auto& epoch : trained.epochs) {
    CHECK(std::isfinite(epoch.training_loss));
    CHECK(std::isnan(epoch.validation_loss));
    CHECK(std::isnan(epoch.validation_score));
  }
  study.data.validation = 0.2;
  study.train.precision = Precision::float32;
  study.train.learning_rate = 1e15;
  study.train.epochs = 10;
  const auto diverged = train_first(study, &line);
  REQUIRE(diverged.result.status == IterationStatus::diverged);
  REQUIRE(diverged.epochs.size() == 3);
  CHECK(std::isfinite(diverged.epochs[0].validation_loss));
  CHECK_FALSE(std::isfinite(diverged.epochs[2].training_loss));
  CHECK(std::isnan(diverged.epochs[2].validation_loss));
  CHECK(std::isnan(diverged.result.validation_loss));
  CHECK(std::isnan(diverged.result.validation_score));
}

TEST_CASE("validation rows are scaled like the training rows and give the validation loss and score") {
  Study study = small_study(line);
  study.data.normalize = Normalize::standard;
  study.data.validation = 0.4;
  study.model.initialization = Initialization::pytorch;
  study.train.learning_rate = 0;
  study.train.reduction = GENERATE(Reduction::mean, Reduction::sum);
  const auto result = train_first(study, &line).result;
  const auto weights = first_weights(study, line);
  Splits splits(study, line);
  const auto split = splits.split(0, 0);
  const auto scaling = splits.scaling(0, 0, Normalize(study.data.normalize));
  REQUIRE(split->validation_rows.count() == 2);
  double squares = 0, targets = 0, target_squares = 0;
  for (const auto row : split->validation_rows.list()) {
    const double x = double{(line.features[row] - scaling->shift[0]) * scaling->scale[0]};
    const double target = double{line.targets[row]};
    squares += std::pow(double{weights[0]} * x + double{weights[1]} - target, 2);
    targets += target;
    target_squares += target * target;
  }
  CHECK(result.validation_loss == Approx(squares / 2).epsilon(rounding));
  // predictions are rounded to float before the score is computed
  CHECK(result.validation_score == Approx(1 - squares / (target_squares - targets * targets / 2)).epsilon(1e-6));
}

TEST_CASE("dropout is applied in training and not in validation") {
  Study study = small_study(classes);
  study.data.validation = 0.4;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {50};
  study.model.initialization = Initialization::pytorch;
  study.train.loss = LossKind::cross_entropy;
  study.train.learning_rate = 0;
  study.train.shuffle = false;  // then steps differ only by their masks
  const auto plain = train_first(study, &classes).result;
  study.model.dropout = 0.5;
  const auto dropped = train_first(study, &classes).result;
  CHECK(dropped.final_loss != plain.final_loss);
  CHECK(dropped.validation_loss == plain.validation_loss);
  study.train.epochs = 2;
  CHECK(train_first(study, &classes).result.final_loss != dropped.final_loss);
}

TEST_CASE("only ensembles store predictions: class probabilities, or outputs for mse") {
  Study study = small_study(classes);
  study.data.validation = 0.4;
  study.model.initialization = Initialization::pytorch;
  study.train.learning_rate = 0;
  study.train.loss = GENERATE(LossKind::mse, LossKind::cross_entropy, LossKind::bce);
  CHECK(train_first(study, &classes).predictions.empty());
  study.ensemble.members = 2;
  const auto predictions = train_first(study, &classes).predictions;
  const auto logits = first_logits(study);
  Splits splits(study, classes);
  const auto rows = splits.split(0, 0)->validation_rows.list();
  REQUIRE(predictions.size() == rows.size() * 3);
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto& row = logits[static_cast<std::size_t>(rows[index])];
    const double exponentials = std::exp(row[0]) + std::exp(row[1]) + std::exp(row[2]);
    for (std::size_t output = 0; output < 3; ++output) {
      double expected = row[output];
      if (study.train.loss == LossKind::cross_entropy) expected = std::exp(row[output]) / exponentials;
      if (study.train.loss == LossKind::bce) expected = 1 / (1 + std::exp(-row[output]));
      CHECK(double{predictions[index * 3 + output]} == Approx(expected).epsilon(1e-6));  // stored as float
    }
  }
}

TEST_CASE("a GPU that LibTorch cannot use is refused with a message") {
  CHECK_THROWS_WITH(make_torch_trainer({100, 1}, &line), StartsWith("GPU 100 cannot be used"));
}

TEST_CASE("an error of LibTorch fails the iteration with a one-line reason") {
  const DataSet wrong = classification_data(1, {0, 1}, {0, 7}, 2);  // there is no class 7
  Study study = small_study(wrong);
  study.run.engine = EngineKind::torch;
  study.train.loss = LossKind::cross_entropy;
  const TrainedIteration failed = train_first(study, &wrong);
  CHECK(failed.result.status == IterationStatus::failed);
  CHECK(failed.result.iteration == 0);
  CHECK(failed.message.rfind("LibTorch: ", 0) == 0);
  CHECK(failed.message.find('\n') == std::string::npos);
  CHECK(failed.message.size() < 300);
}
