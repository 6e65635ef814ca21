// Random models that stacks can train, for comparisons of trainers: everything that may differ between the models of a
// stack differs, and everything that all have in common is drawn for each study.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/row_draws.hpp"
#include "data/splits.hpp"
#include "data/synthetic.hpp"
#include "models/initial_weights.hpp"
#include "models/network_layout.hpp"
#include "support/random_studies.hpp"
#include "support/small_studies.hpp"
#include "support/test_device.hpp"
#include "training/batches.hpp"
#include "training/class_weights.hpp"
#include "training/learning_rate.hpp"
#include "training/stack_shape.hpp"
#include "training/training_cost.hpp"

namespace sheaf::test {

// One training with all that its task refers to.
struct Model {
  Trial trial;
  std::uint64_t seed = 0;
  std::shared_ptr<const Split> split{};
  FeatureScaling scaling{};
  RowSet rows{};
  std::vector<float> weights{};
  std::vector<double> class_weights{};
  std::vector<std::int64_t> reductions{};  // of the learning rate, with Schedule::plateau

  TrainingTask task(const std::vector<Layer>& layers, const DataSet& data) const {
    return {trial, layers, weights, data, *split, scaling, rows, seed, {}, false, class_weights};
  }
  std::int64_t epoch_steps() const { return sheaf::epoch_steps(trial.train, rows.count()); }
  LearningRate rate() const { return {trial.train, epoch_steps(), reductions}; }
};

// Changes what may differ between the models of a stack.
inline void vary(Dice& dice, Trial& trial) {
  TrainOptions& train = trial.train;
  const auto if_any = [&](double& value, std::initializer_list<double> factors) { value *= dice.one_of(factors); };
  train.epochs = dice.number(1, 4);
  *train.learning_rate *= dice.one_of({1.0, 0.3});
  if (!dice.once_in(3))
    train.schedule = schedule_table[static_cast<std::size_t>(dice.number(0, schedule_table.size() - 1))].kind;
  train.step_epochs = 1;
  train.warmup_epochs = dice.one_of({0.0, 0.5});
  train.weight_decay = dice.one_of({0.0, 1e-3, 0.1});
  if (optimizer_of(train.optimizer).has("momentum")) train.momentum = dice.one_of({0.0, 0.5, 0.9});
  train.nesterov = train.optimizer == OptimizerKind::sgd && train.momentum > 0 && dice.once_in(2);
  if (train.optimizer == OptimizerKind::adam || train.optimizer == OptimizerKind::adamw)
    train.optimizer = dice.one_of({OptimizerKind::adam, OptimizerKind::adamw});
  train.beta1 = dice.one_of({0.9, 0.8});
  train.beta2 = dice.one_of({0.999, 0.95});
  train.epsilon *= dice.one_of({1.0, 3.0});
  train.alpha = dice.one_of({0.99, 0.9});
  train.huber_delta = dice.one_of({0.1, 1.0});
  if (train.loss == LossKind::cross_entropy) train.label_smoothing = dice.one_of({0.0, 0.1});
  train.average_decay = dice.one_of({0.5, 0.99});
  if (train.class_weights.any() && dice.once_in(2)) train.class_weights = {false, {{"0", dice.one_of({0.0, 2.5})}}};
  if_any(train.clip_norm, {1, 10});
  if_any(train.clip_value, {1, 10});
  if_any(train.l1, {1, 10});
  if_any(trial.model.dropout, {1, 0.5});
}

// The data of a study, in a random form.
inline DataSet random_data(Dice& dice, Study& study, bool table) {
  DataSet data = draw_synthetic(study.data, study.study.seed);
  if (study.train.loss == LossKind::poisson) data = with_counts(data);
  const bool may_be_labels = study.data.task == Task::regression && study.train.loss == LossKind::mse;
  if (may_be_labels && data.output_count > 1 && dice.once_in(2)) {
    data = with_labels(data);
    study.data.task = Task::multilabel;
    study.train.loss = LossKind::bce;
    study.data.normalize_targets = NormalizeTargets::none;
  }
  if (dice.once_in(4)) data = with_weights(data, dice);
  if (table)
    data = as_table(data, dice);
  else if (dice.once_in(6))
    data = with_bytes(data);
  return data;
}

// All in turn, because some have special cases.
inline LossKind loss_of_regression(std::uint64_t number) {
  constexpr std::array losses = {LossKind::mse,   LossKind::mae,     LossKind::huber,
                                 LossKind::huber, LossKind::poisson, LossKind::quantile};
  return losses[number % losses.size()];
}

// Models of one study that differ in all that may differ, in groups of one shape.
struct RandomStacks {
  RandomStacks(std::uint64_t seed, Precision precision, bool table) : dice(seed) {
    study = random_study(dice);
    if (study.data.task == Task::regression) study.train.loss = loss_of_regression(seed);
    if (study.train.loss == LossKind::quantile) study.train.quantiles = even_quantiles(study.data.outputs);
    study.train.precision = precision;
    study.data.validation = 0.2;
    study.search.folds = dice.one_of<std::int64_t>({1, 2, 3, 5});
    if (dice.once_in(3)) study.data.normalize = Normalize::robust;
    if (study.data.task == Task::regression && study.model.bias && study.train.loss != LossKind::poisson)
      study.data.normalize_targets = dice.one_of({NormalizeTargets::none, NormalizeTargets::standard});
    if (table) {
      study.model.embedding = dice.one_of({Embedding::none, Embedding::piecewise});
      study.model.categories = dice.one_of({CategoryEncoding::one_hot, CategoryEncoding::embedding});
    }
    data = random_data(dice, study, table);
    if (data.task == Task::classification && dice.once_in(3)) study.train.class_weights.balanced = true;
    layers = network_layout(study.model, shape_of(data, study.data));
    splits = std::make_unique<Splits>(study, data);
    for (std::int64_t number = 0; number < models_count; ++number) add(number);
  }

  void add(std::int64_t number) {
    Model model{{{}, study.model, study.train}, iteration_seed(study.study.seed, static_cast<std::uint64_t>(number))};
    vary(dice, model.trial);
    model.trial.normalize = study.data.normalize;
    if (study.data.normalize == Normalize::standard && dice.once_in(2)) model.trial.normalize = Normalize::minmax;
    const std::int64_t fold = number % study.search.folds;
    model.split = splits->split(0, fold);
    model.scaling = scaling_for(layers, *splits->scaling(0, fold, scaling_kind(model.trial)));
    model.rows = dice.once_in(3) ? bootstrap_rows(data.marks, model.split->training_rows, model.seed)
                                 : model.split->training_rows;
    model.weights = initial_weights(layers, study.model.initialization, model.seed);
    if (model.trial.train.schedule == Schedule::plateau)
      model.reductions = dice.one_of<std::vector<std::int64_t>>({{}, {0}, {0, 2}});
    model.class_weights = class_weights(model.trial.train, data, model.rows);
    const StackShape shape = stack_shape(model.trial, layers, model.scaling, model.rows.count());
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == shape; });
    if (group == groups.end())
      groups.push_back({shape, {std::move(model)}});
    else
      group->second.push_back(std::move(model));
  }

  static constexpr std::int64_t models_count = 9;
  Dice dice;
  Study study;
  DataSet data;
  std::vector<Layer> layers;
  std::unique_ptr<Splits> splits;
  std::vector<std::pair<StackShape, std::vector<Model>>> groups;
};

/// Seeds of RandomStacks for tests. SHEAF_TEST_STACKS changes how many are trained with all drawings together.
inline constexpr std::uint64_t all_stacks = 90;

struct Drawing {
  std::uint64_t first_seed, usual;  ///< of `all_stacks`
  Precision precision;
  double tolerance;  ///< of results, compared with those of the native engine
  bool tables;       ///< with categories, empty cells and embeddings

  std::uint64_t count() const { return (usual * stacks_to_test(all_stacks) + all_stacks - 1) / all_stacks; }
};

inline constexpr Drawing plain_double{1, 40, Precision::float64, 1e-10, false},
    plain_float{10001, 25, Precision::float32, 1e-3, false}, tables_double{20001, 15, Precision::float64, 1e-10, true},
    tables_float{30001, 10, Precision::float32, 1e-3, true};
inline constexpr std::array drawings = {plain_double, plain_float, tables_double, tables_float};

}  // namespace sheaf::test
