// Tests that both engines give the same losses in whole trainings of random studies.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include "data/synthetic.hpp"
#include "engines/lane_engine.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/kernels/kernels.hpp"
#include "engines/native/native_trainer.hpp"
#include "study/settings.hpp"
#include "support/epochs.hpp"
#include "support/every_target.hpp"
#include "support/one_training.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Random choices for configurations, reproducible from the seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool once_in(std::int64_t count) { return number(1, count) == 1; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return *(values.begin() + number(0, static_cast<std::int64_t>(values.size()) - 1));
  }

 private:
  std::mt19937_64 engine_;
};

ModelOptions random_model(Dice& dice) {
  ModelOptions model = test::plain_model();
  model.kind = dice.one_of({ModelKind::linear, ModelKind::mlp, ModelKind::mlp, ModelKind::mlp});
  if (model.kind == ModelKind::mlp) {
    const std::int64_t layers = dice.number(1, 3);
    std::vector<std::int64_t> widths;
    for (std::int64_t layer = 0; layer < layers; ++layer)
      widths.push_back(dice.one_of<std::int64_t>({1, 2, 3, 4, 5, 16, 17, 32, 63, 64, 65, 130}));
    model.hidden = widths;
    model.dropout = dice.one_of({0.0, 0.0, 0.1, 0.5});
    // A norm of very few features divides by almost zero where they are nearly equal, which amplifies rounding.
    if (*std::min_element(widths.begin(), widths.end()) >= 4)
      model.norm = dice.one_of({Norm::none, Norm::layer, Norm::batch});
  }
  model.activation =
      dice.one_of({Activation::relu, Activation::tanh, Activation::sigmoid, Activation::gelu, Activation::silu,
                   Activation::leaky_relu, Activation::elu, Activation::selu, Activation::mish});
  model.initialization = dice.one_of({Initialization::pytorch, Initialization::glorot, Initialization::he});
  if (model.kind == ModelKind::linear && dice.once_in(3)) model.initialization = Initialization::zeros;
  model.bias = !dice.once_in(5);
  return model;
}

std::vector<double> even_quantiles(std::int64_t count) {
  std::vector<double> quantiles;
  for (std::int64_t number = 1; number <= count; ++number)
    quantiles.push_back(static_cast<double>(number) / static_cast<double>(count + 1));
  return quantiles;
}

TrainOptions random_training(Dice& dice, const DataOptions& data) {
  TrainOptions train = test::plain_training();
  train.epochs = dice.number(1, 4);
  // Full batches, tiny batches, and sizes near multiples of a vector. Most sizes have a shorter last batch.
  train.batch_size =
      dice.one_of<std::int64_t>({0, dice.number(5, 15), 16, 17, 32, dice.number(20, 100), data.rows - 1});
  train.shuffle = !dice.once_in(4);
  train.loss = data.task == Task::classification
                   ? dice.one_of({LossKind::cross_entropy, LossKind::cross_entropy, LossKind::bce, LossKind::mse})
                   : dice.one_of({LossKind::mse, LossKind::mse, LossKind::mae, LossKind::huber, LossKind::poisson,
                                  LossKind::quantile});
  if (train.loss == LossKind::quantile) train.quantiles = even_quantiles(data.outputs);
  if (train.loss == LossKind::huber) train.huber_delta = dice.one_of({0.1, 1.0});
  if (train.loss == LossKind::cross_entropy) train.label_smoothing = dice.one_of({0.0, 0.0, 0.1});
  train.reduction = dice.one_of({Reduction::mean, Reduction::mean, Reduction::sum});
  train.optimizer = dice.one_of(
      {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::rmsprop, OptimizerKind::nadam});
  const bool adaptive = train.optimizer != OptimizerKind::sgd;
  train.learning_rate = adaptive ? 1e-3 : 1e-2;
  if (!adaptive && train.reduction == Reduction::sum) train.learning_rate = 1e-4;
  if (train.optimizer == OptimizerKind::sgd || train.optimizer == OptimizerKind::rmsprop)
    train.momentum = dice.one_of({0.0, 0.5, 0.9});
  train.nesterov = train.optimizer == OptimizerKind::sgd && train.momentum > 0 && dice.once_in(2);
  train.weight_decay = dice.one_of({0.0, 0.0, 1e-3, 0.1});
  train.clip_norm = dice.one_of({0.0, 0.0, 0.0, 0.1});
  if (train.clip_norm == 0) train.clip_value = dice.one_of({0.0, 0.0, 0.01});
  train.l1 = dice.one_of({0.0, 0.0, 0.0, 1e-3});
  if (dice.once_in(3)) train.average = Average::ema;
  train.average_decay = dice.one_of({0.5, 0.99});
  train.epsilon =
      adaptive ? 1e-4 : train.epsilon;  // otherwise rounding errors of a gradient near zero become full steps
  return train;
}

Study random_study(Dice& dice) {
  Study study = test::regression_study();
  study.study.seed = static_cast<std::uint64_t>(dice.number(0, 1000000));
  DataOptions& data = study.data;
  data.source = DataSource::synthetic;
  data.draw = Draw::study;
  data.task = dice.one_of({Task::classification, Task::regression});
  data.rows = dice.number(20, 220);
  data.columns = dice.one_of<std::int64_t>({1, 2, 7, 8, 10, 16, 31, 64, 65, 100, 150});
  data.outputs = dice.one_of<std::int64_t>({1, 1, 2, 3, 4, 9});
  data.classes = dice.one_of<std::int64_t>({2, 3, 4, 10, 17});
  data.relation = Relation::linear;
  data.normalize = dice.one_of({Normalize::none, Normalize::standard, Normalize::minmax});
  data.validation = dice.one_of({0.0, 0.2, 0.5});
  study.model = random_model(dice);
  study.train = random_training(dice, data);
  study.ensemble.bootstrap = dice.once_in(4);
  study.ensemble.members = study.ensemble.bootstrap ? 2 : 1;
  study.run.curves = dice.once_in(3);
  return study;
}

// `data` with targets that are not negative.
DataSet with_counts(DataSet data) {
  auto counts = std::make_shared<std::vector<float>>(data.targets, data.targets + data.rows * data.output_count);
  for (float& target : *counts) target = std::floor(std::abs(target));
  data.targets = counts->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, counts);
  return data;
}

// `data` with labels: targets of 0 and 1.
DataSet with_labels(DataSet data) {
  auto labels = std::make_shared<std::vector<float>>(data.targets, data.targets + data.rows * data.output_count);
  for (float& target : *labels) target = target > 0 ? 1.0f : 0.0f;
  data.task = Task::multilabel;
  data.targets = labels->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, labels);
  return data;
}

// `data` with random sample weights, some of them zero.
DataSet with_weights(DataSet data, Dice& dice) {
  auto weights = std::make_shared<std::vector<float>>();
  for (std::int64_t row = 0; row < data.rows; ++row) weights->push_back(static_cast<float>(dice.number(0, 8)) / 4.0f);
  data.weights = weights->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, weights);
  return data;
}

// `data` in which some features are categories and some cells are empty.
DataSet as_table(DataSet data, Dice& dice) {
  auto features = std::make_shared<std::vector<float>>(data.features, data.features + data.rows * data.feature_count);
  auto fills = std::make_shared<FeatureFills>(feature_fills({}, data.feature_count));
  for (std::int64_t feature = 0; feature < data.feature_count; ++feature) {
    FeatureKind kind;
    if (dice.once_in(3)) kind = {dice.one_of<std::int64_t>({1, 3, 9, 10, 40}), dice.once_in(2)};
    const std::int64_t empty_cells = kind.is_category() ? 0 : dice.one_of<std::int64_t>({0, 0, 3});
    if (empty_cells > 0) kind.has_empty_cells = dice.once_in(2);
    data.kinds.push_back(kind);
    for (std::int64_t row = 0; row < data.rows; ++row) {
      float& value = (*features)[static_cast<std::size_t>(row * data.feature_count + feature)];
      if (kind.is_category()) value = static_cast<float>(dice.number(0, static_cast<int>(kind.categories)) - 1);
      if (row < empty_cells) value = NAN;
    }
    fills->empty_cells[static_cast<std::size_t>(feature)] = empty_cells;
  }
  data.features = features->data();
  data.fills = fills;
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, features);
  return data;
}

TrainedIteration train_by(EngineKind engine, Study study, const DataSet& data) {
  study.run.engine = engine;
  return train_first(study, &data);
}

// |a - b| relative to the larger absolute value; 0 if both are NaN.
double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-30});
}

void check_agreement(const Study& study, const DataSet& data, double tolerance) {
  const TrainedIteration torch = train_by(EngineKind::torch, study, data);
  const TrainedIteration native = train_by(EngineKind::native, study, data);
  INFO(study_file_text(study));
  REQUIRE(native.result.engine == "native");
  REQUIRE(torch.result.engine == "torch");
  REQUIRE(torch.result.status == IterationStatus::finished);
  CHECK(native.result.status == IterationStatus::finished);
  CHECK(native.result.steps == torch.result.steps);
  CHECK(native.result.epochs == torch.result.epochs);
  INFO("final loss " << native.result.final_loss << " and " << torch.result.final_loss);
  CHECK(distance(native.result.final_loss, torch.result.final_loss) < tolerance);
  INFO("validation loss " << native.result.validation_loss << " and " << torch.result.validation_loss);
  CHECK(distance(native.result.validation_loss, torch.result.validation_loss) < tolerance);
  REQUIRE(native.epochs.size() == torch.epochs.size());
  for (std::size_t epoch = 0; epoch < torch.epochs.size(); ++epoch) {
    CHECK(distance(native.epochs[epoch].training_loss, torch.epochs[epoch].training_loss) < tolerance);
    CHECK(distance(native.epochs[epoch].validation_loss, torch.epochs[epoch].validation_loss) < tolerance);
  }
  REQUIRE(native.predictions.size() == torch.predictions.size());
  for (std::size_t i = 0; i < torch.predictions.size(); ++i)
    CHECK(std::abs(double{native.predictions[i]} - double{torch.predictions[i]}) < 1e-3);
}

void check_random_studies(std::uint64_t seed, int count, Precision precision, double tolerance,
                          Embedding embedding = Embedding::none, bool has_tables = false) {
  Dice dice(seed);
  for (int number = 0; number < count; ++number) {
    const bool table = has_tables && number % 2 == 0;
    Study study = random_study(dice);
    study.train.precision = precision;
    study.model.embedding = embedding;
    if (table && dice.once_in(2)) study.model.categories = CategoryEncoding::one_hot;
    if (number % 4 == 0) study.data.normalize = Normalize::robust;
    const bool counts = study.train.loss == LossKind::poisson;
    if (number % 3 == 0 && study.data.task == Task::regression && study.model.bias && !counts)
      study.data.normalize_targets = NormalizeTargets::standard;
    DataSet data = draw_synthetic(study.data, study.study.seed);
    if (counts) data = with_counts(data);
    const bool may_be_labels = study.data.task == Task::regression && study.train.loss == LossKind::mse &&
                               study.data.normalize_targets != NormalizeTargets::standard && data.output_count > 1;
    if (may_be_labels && number % 2 == 0) {
      data = with_labels(data);
      study.data.task = Task::multilabel;
      study.train.loss = LossKind::bce;
    }
    if (dice.once_in(4)) data = with_weights(data, dice);
    if (table) data = as_table(data, dice);
    check_agreement(study, data, tolerance);
  }
}

}  // namespace

TEST_CASE("engines agree in float64 on random studies") {
  check_random_studies(1, 400, Precision::float64, 1e-10);
}

TEST_CASE("engines agree in float32 on random studies") {
  check_random_studies(8, 300, Precision::float32, 1e-3);
}

TEST_CASE("engines agree on embeddings of numbers, with categories, empty cells and weights") {
  check_random_studies(11, 120, Precision::float64, 1e-10, Embedding::piecewise, true);
  check_random_studies(12, 60, Precision::float32, 1e-3, Embedding::piecewise, true);
}

TEST_CASE("engines agree on tables with categories, one-hot encoded or as embeddings") {
  check_random_studies(14, 160, Precision::float64, 1e-10, Embedding::none, true);
  check_random_studies(15, 80, Precision::float32, 1e-3, Embedding::none, true);
}

TEST_CASE("engines agree on which trainings diverge, and when") {
  Dice dice(6);
  int diverged = 0;
  for (int number = 0; number < 200; ++number) {
    Study study = random_study(dice);
    study.train.epochs = 6;
    study.train.optimizer = OptimizerKind::sgd;  // the steps of other optimizers have bounded length
    if (study.data.task == Task::regression) study.train.loss = LossKind::mse;  // gradients of others are bounded
    study.train.clip_norm = study.train.clip_value = 0;
    study.model.norm = Norm::none;  // PyTorch's layer norm hides a variance that overflows; the native one does not
    study.train.learning_rate = dice.one_of({1.0, 1e5, 1e20, 1e60});
    study.train.precision = Precision::float64;
    const DataSet data = draw_synthetic(study.data, study.study.seed);
    const IterationResult torch = train_by(EngineKind::torch, study, data).result;
    const IterationResult native = train_by(EngineKind::native, study, data).result;
    INFO(study_file_text(study));
    INFO("final loss " << native.final_loss << " and " << torch.final_loss);
    CHECK(native.status == torch.status);
    CHECK(std::abs(native.epochs - torch.epochs) <= 1);  // a different order of summation can overflow one step earlier
    diverged += torch.status == IterationStatus::diverged;
  }
  CHECK((diverged > 20 && diverged < 180));
}

TEST_CASE("engines agree on batches of several tiles") {
  // With wide layers, only a few rows fit into the cache, so gradients are summed over tiles.
  for (const auto& [batch, norm] : {std::pair(std::int64_t{0}, Norm::none),
                                    {std::int64_t{0}, Norm::layer},
                                    {std::int64_t{150}, Norm::none},
                                    {std::int64_t{200}, Norm::layer},
                                    {std::int64_t{200}, Norm::batch}}) {
    Dice dice(3);
    Study study = random_study(dice);
    study.data = drawn_classes(350, 300, 10);
    study.model = test::plain_model();
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {700, 200};
    study.model.dropout = 0.25;
    study.model.norm = norm;
    study.train = test::plain_training();
    study.train.loss = LossKind::cross_entropy;
    study.train.epochs = 2;
    study.train.batch_size = batch;
    study.train.optimizer = OptimizerKind::adam;
    study.train.learning_rate = 1e-3;
    study.train.precision = Precision::float64;
    check_agreement(study, draw_synthetic(study.data, 1), 1e-10);
  }
}

TEST_CASE("engines agree on a last batch of one row") {
  // Batch norm divides by its variance of zero. Only the row itself may count, not the rest of its vector.
  for (const LossKind loss : {LossKind::poisson, LossKind::mse}) {
    Study study = test::regression_study();
    study.data.source = DataSource::synthetic;
    study.data.draw = Draw::study;
    study.data.rows = 133;
    study.data.columns = 8;
    study.model = test::plain_model();
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {63, 16};
    study.model.norm = Norm::batch;
    study.model.dropout = 0.5;
    study.train = test::plain_training();
    study.train.epochs = 4;
    study.train.batch_size = 132;
    study.train.loss = loss;
    study.train.learning_rate = 1e-2;
    study.train.clip_value = 0.01;
    study.train.precision = Precision::float64;
    // With a variance of 0, rounding errors are multiplied by 316. On some processors, LibTorch's differ by more.
    check_agreement(study, with_counts(draw_synthetic(study.data, 1)), 1e-5);
  }
}

TEST_CASE("all instruction sets give the same training") {
  std::set<std::string> names;
  on_every_target([&] {
    names.insert(instruction_set());
    check_random_studies(4, 40, Precision::float64, 1e-10);
    check_random_studies(5, 20, Precision::float32, 1e-3);
    check_random_studies(13, 20, Precision::float64, 1e-10, Embedding::piecewise);
  });
  CHECK(names.size() == hwy::SupportedAndGeneratedTargets().size());
}

TEST_CASE("both engines use a learning rate that changes with every step") {
  for (const auto optimizer :
       {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw, OptimizerKind::rmsprop, OptimizerKind::nadam}) {
    Study study = test::regression_study();
    study.data = drawn_classes(90, 12, 3);
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {9};
    study.train.loss = LossKind::cross_entropy;
    study.train.optimizer = optimizer;
    study.train.momentum = optimizer == OptimizerKind::sgd || optimizer == OptimizerKind::rmsprop ? 0.5 : 0;
    study.train.weight_decay = 0.1;
    study.train.epsilon = 1e-4;
    study.train.batch_size = 16;
    study.train.precision = Precision::float64;
    const OneTraining training(study, draw_synthetic(study.data, 1));
    TrainOptions changing = study.train;
    changing.epochs = 3;
    changing.schedule = Schedule::cosine;
    changing.warmup_epochs = 0.5;
    const LearningRate rate(changing, epoch_steps(changing, training.task().rows.count()));
    const auto native = make_native_trainer(), torch = make_torch_trainer({-1, 1}, nullptr);
    Epochs ours(*native, training.task(), rate), theirs(*torch, training.task(), rate);
    for (int epoch = 0; epoch < 3; ++epoch) CHECK(ours.train_epoch() == Approx(theirs.train_epoch()).epsilon(1e-10));
    const auto plain = make_native_trainer();
    Epochs constant(*plain, training.task());
    for (int epoch = 0; epoch < 2; ++epoch) constant.train_epoch();
    CHECK(constant.train_epoch() != Approx(ours.train_epoch()).epsilon(1e-4));
  }
}
