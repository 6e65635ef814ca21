// Random studies and data sets, for comparisons of trainers.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "study/study.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"

namespace sheaf::test {

/// Random choices for configurations, reproducible from the seed.
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

inline ModelOptions random_model(Dice& dice) {
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

inline std::vector<double> even_quantiles(std::int64_t count) {
  std::vector<double> quantiles;
  for (std::int64_t number = 1; number <= count; ++number)
    quantiles.push_back(static_cast<double>(number) / static_cast<double>(count + 1));
  return quantiles;
}

inline TrainOptions random_training(Dice& dice, const DataOptions& data) {
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

inline Study random_study(Dice& dice) {
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
  // The first step of a weight from zero may be a rounding error, whose sign would decide the second one.
  if (study.model.initialization == Initialization::zeros) study.train.l1 = 0;
  study.ensemble.bootstrap = dice.once_in(4);
  study.ensemble.members = study.ensemble.bootstrap ? 2 : 1;
  study.run.curves = dice.once_in(3);
  return study;
}

/// `data` with targets that are not negative.
inline DataSet with_counts(DataSet data) {
  auto counts = std::make_shared<std::vector<float>>(data.targets, data.targets + data.rows * data.output_count);
  for (float& target : *counts) target = std::floor(std::abs(target));
  data.targets = counts->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, counts);
  return data;
}

/// `data` with labels: targets of 0 and 1.
inline DataSet with_labels(DataSet data) {
  auto labels = std::make_shared<std::vector<float>>(data.targets, data.targets + data.rows * data.output_count);
  for (float& target : *labels) target = target > 0 ? 1.0f : 0.0f;
  data.task = Task::multilabel;
  data.targets = labels->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, labels);
  return data;
}

/// `data` with random sample weights, some of them zero.
inline DataSet with_weights(DataSet data, Dice& dice) {
  auto weights = std::make_shared<std::vector<float>>();
  for (std::int64_t row = 0; row < data.rows; ++row) weights->push_back(static_cast<float>(dice.number(0, 8)) / 4.0f);
  data.weights = weights->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, weights);
  return data;
}

/// `data` with features of unsigned bytes.
inline DataSet with_bytes(DataSet data) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>();
  for (std::int64_t index = 0; index < data.rows * data.feature_count; ++index)
    bytes->push_back(static_cast<std::uint8_t>(std::lround(std::abs(data.features[index]) * 20) % 256));
  data.features = nullptr;
  data.byte_features = bytes->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, bytes);
  return data;
}

/// `data` in which some features are categories and some cells are empty.
inline DataSet as_table(DataSet data, Dice& dice) {
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

/// |a - b| relative to the larger absolute value; 0 if both are NaN.
inline double distance(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1e-30});
}

}  // namespace sheaf::test
