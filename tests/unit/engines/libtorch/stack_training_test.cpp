// Tests of stacks: whole trainings of random stacks against the native engine, which trains one model at a time, and
// whether the bits of a model depend on the stack that it is in.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_training.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "data/row_draws.hpp"
#include "data/synthetic.hpp"
#include "engines/libtorch/torch_stack_trainer.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/stack_refusal.hpp"
#include "models/initial_weights.hpp"
#include "study/settings.hpp"
#include "support/random_studies.hpp"
#include "support/small_studies.hpp"
#include "training/batches.hpp"
#include "training/class_weights.hpp"
#include "training/epoch_rows.hpp"
#include "training/training_cost.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// One training with all that its task refers to.
struct Model {
  Trial trial;
  std::uint64_t seed = 0;
  std::shared_ptr<const Split> split{};
  FeatureScaling scaling{};
  RowSet rows{};
  std::vector<float> weights{};
  std::vector<double> class_weights{};

  TrainingTask task(const std::vector<Layer>& layers, const DataSet& data) const {
    return {trial, layers, weights, data, *split, scaling, rows, seed, {}, false, class_weights};
  }
  std::int64_t epoch_steps() const { return sheaf::epoch_steps(trial.train, rows.count()); }
  LearningRate rate() const { return {trial.train, epoch_steps()}; }
};

// What a training gives: losses of its epochs, and after the last one the network and an evaluation.
struct Outcome {
  std::vector<double> losses;
  NetworkState network;
  std::vector<float> outputs;
  double validation_loss = 0;
};

const std::function<bool()> go_on = [] { return false; };
const std::function<bool(std::int64_t)> all_go_on = [](std::int64_t) { return false; };

// The evaluation of rows with the model in a slot. `rows` and `outputs` outlive it.
SlotEvaluation evaluation_of(std::int64_t slot, const std::vector<std::int64_t>& rows, std::vector<float>& outputs) {
  return {slot, rows.data(), static_cast<std::int64_t>(rows.size()), &outputs};
}

bool ends_after(const Model& model, std::int64_t epochs, double loss) {
  return epochs == model.trial.train.epochs || !std::isfinite(loss);
}

Outcome train_native(const Model& model, const std::vector<Layer>& layers, const DataSet& data) {
  const auto trainer = make_native_trainer();
  const TrainingTask task = model.task(layers, data);
  trainer->start(task);
  EpochRows order(model.rows, model.trial.train, model.trial.model, model.seed);
  const LearningRate rate = model.rate();
  Outcome outcome;
  do {
    double sum = 0;
    const auto epoch = static_cast<std::int64_t>(outcome.losses.size());
    trainer->train({order.of(epoch), model.rows.count(), epoch * model.epoch_steps()}, rate, sum);
    outcome.losses.push_back(sum);
  } while (!ends_after(model, static_cast<std::int64_t>(outcome.losses.size()), outcome.losses.back()));
  const auto rows = model.split->validation_rows.list();
  outcome.validation_loss =
      trainer->evaluate(rows.data(), static_cast<std::int64_t>(rows.size()), outcome.outputs, go_on).value();
  outcome.network = trainer->network();
  return outcome;
}

// How a stack trains models.
struct Course {
  std::int64_t width = 4;
  bool reversed = false;            // models take the last free slots first
  std::int64_t moves_after = 0;     // after so many epochs, all are saved and restored in other slots of a new stack
  std::int64_t batches_a_call = 0;  // 0: an epoch a call
  std::optional<std::size_t> poisoned{};  // this model begins with NaN
};

// Trains models of one shape. A slot whose model ends is refilled.
class Driver {
 public:
  Driver(const std::vector<Model>& models, const std::vector<Layer>& layers, const DataSet& data, const Course& course)
      : models_(models),
        layers_(layers),
        data_(data),
        course_(course),
        shape_(stack_shape(models[0].trial, layers, models[0].scaling, models[0].rows.count())),
        stack_(new_stack()),
        slots_(static_cast<std::size_t>(course.width)),
        outcomes_(models.size()) {}

  std::vector<Outcome> train() {
    for (std::int64_t round = 1; fill(); ++round) {
      train_epoch();
      if (round == course_.moves_after) move();
    }
    return outcomes_;
  }

 private:
  struct Slot {
    std::size_t model;
    std::int64_t epoch = 0;
    std::unique_ptr<EpochRows> order;
    LearningRate rate;
  };

  std::unique_ptr<StackTrainer> new_stack() const {
    return make_torch_stack_trainer({-1, 1}, data_, shape_, course_.width);
  }

  void start(StackTrainer& stack, std::int64_t slot, std::size_t model) const {
    TrainingTask task = models_[model].task(layers_, data_);
    const std::vector<float> none(task.weights.size(), std::numeric_limits<float>::quiet_NaN());
    stack.start(slot, {task.trial,
                       layers_,
                       course_.poisoned == model ? none : task.weights,
                       data_,
                       task.split,
                       task.scaling,
                       task.rows,
                       task.seed,
                       {},
                       false,
                       task.class_weights});
  }

  // Returns whether there is something to train.
  bool fill() {
    for (std::int64_t index = 0; index < course_.width && next_ < models_.size(); ++index) {
      const std::int64_t slot = course_.reversed ? course_.width - 1 - index : index;
      if (at(slot)) continue;
      const Model& model = models_[next_];
      start(*stack_, slot, next_);
      at(slot).emplace(Slot{next_++, 0,
                            std::make_unique<EpochRows>(model.rows, model.trial.train, model.trial.model, model.seed),
                            model.rate()});
    }
    return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot.has_value(); });
  }

  void train_epoch() {
    std::vector<double> sums(slots_.size(), 0);
    const std::int64_t all = shape_.epoch_batches, step = course_.batches_a_call > 0 ? course_.batches_a_call : all;
    for (std::int64_t batch = 0; batch < all; batch += step) train_batches(batch, std::min(all, batch + step), sums);
    std::vector<std::int64_t> ended;
    for (std::int64_t slot = 0; slot < course_.width; ++slot)
      if (at(slot) && ends(slot, sums[static_cast<std::size_t>(slot)])) ended.push_back(slot);
    finish(ended);
  }

  void train_batches(std::int64_t begin, std::int64_t end, std::vector<double>& sums) {
    std::vector<SlotRows> rows(slots_.size());
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (!slots_[slot]) continue;
      const std::int64_t first = begin * shape_.batch_rows, count = models_[slots_[slot]->model].rows.count();
      rows[slot] = {
          {slots_[slot]->order->of(slots_[slot]->epoch) + first, std::min(count, end * shape_.batch_rows) - first,
           slots_[slot]->epoch * shape_.epoch_batches + begin},
          &slots_[slot]->rate};
    }
    stack_->train(rows, sums.data());
  }

  // Ends an epoch of a slot. Returns whether its training ends.
  bool ends(std::int64_t number, double sum) {
    Slot& slot = *at(number);
    outcomes_[slot.model].losses.push_back(sum);
    return ends_after(models_[slot.model], ++slot.epoch, sum);
  }

  // Evaluates the models in these slots together and frees them.
  void finish(const std::vector<std::int64_t>& slots) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t slot : slots) rows.push_back(models_[at(slot)->model].split->validation_rows.list());
    std::vector<SlotEvaluation> evaluations;
    for (std::size_t index = 0; index < slots.size(); ++index)
      evaluations.push_back(evaluation_of(slots[index], rows[index], outcomes_[at(slots[index])->model].outputs));
    stack_->evaluate(evaluations, all_go_on);
    for (const SlotEvaluation& each : evaluations) {
      Outcome& outcome = outcomes_[at(each.slot)->model];
      outcome.validation_loss = each.loss_sum.value();
      outcome.network = stack_->network(each.slot);
      at(each.slot).reset();
    }
  }

  void move() {
    auto moved = new_stack();
    std::vector<std::optional<Slot>> slots(slots_.size());
    for (std::int64_t from = 0; from < course_.width; ++from) {
      if (!at(from)) continue;
      const std::int64_t to = (from + 1) % course_.width;
      ByteWriter state;
      stack_->save(from, state);
      start(*moved, to, at(from)->model);
      ByteReader reader(state.bytes());
      moved->restore(to, reader);
      CHECK(reader.is_at_end());
      slots[static_cast<std::size_t>(to)] = std::move(at(from));
    }
    stack_ = std::move(moved);
    slots_ = std::move(slots);
  }

  std::optional<Slot>& at(std::int64_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

  const std::vector<Model>& models_;
  const std::vector<Layer>& layers_;
  const DataSet& data_;
  Course course_;
  StackShape shape_;
  std::unique_ptr<StackTrainer> stack_;
  std::vector<std::optional<Slot>> slots_;
  std::size_t next_ = 0;
  std::vector<Outcome> outcomes_;
};

std::vector<Outcome> train_stack(const std::vector<Model>& models, const std::vector<Layer>& layers,
                                 const DataSet& data, const Course& course = {}) {
  return Driver(models, layers, data, course).train();
}

// Changes what may differ between the models of a stack.
void vary(Dice& dice, Trial& trial) {
  TrainOptions& train = trial.train;
  const auto if_any = [&](double& value, std::initializer_list<double> factors) { value *= dice.one_of(factors); };
  train.epochs = dice.number(1, 4);
  *train.learning_rate *= dice.one_of({1.0, 0.3});
  train.schedule = dice.one_of({Schedule::constant, Schedule::constant, Schedule::cosine, Schedule::exponential});
  train.warmup_epochs = dice.one_of({0.0, 0.5});
  train.weight_decay = dice.one_of({0.0, 1e-3, 0.1});
  if (optimizer_of(train.optimizer).has("momentum")) train.momentum = dice.one_of({0.0, 0.5, 0.9});
  train.nesterov = train.optimizer == OptimizerKind::sgd && train.momentum > 0 && dice.once_in(2);
  if (train.optimizer == OptimizerKind::adam || train.optimizer == OptimizerKind::adamw)
    train.optimizer = dice.one_of({OptimizerKind::adam, OptimizerKind::adamw});
  train.beta1 = dice.one_of({0.9, 0.8});
  train.alpha = dice.one_of({0.99, 0.9});
  train.huber_delta = dice.one_of({0.1, 1.0});
  if (train.loss == LossKind::cross_entropy) train.label_smoothing = dice.one_of({0.0, 0.1});
  train.average_decay = dice.one_of({0.5, 0.99});
  if_any(train.clip_norm, {1, 10});
  if_any(train.clip_value, {1, 10});
  if_any(train.l1, {1, 10});
  if_any(trial.model.dropout, {1, 0.5});
}

// The data of a study, in a random form.
DataSet random_data(Dice& dice, Study& study, bool table) {
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
LossKind loss_of_regression(std::uint64_t number) {
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

void check_near(const Outcome& stacked, const Outcome& native, double tolerance) {
  REQUIRE(stacked.losses.size() == native.losses.size());
  for (std::size_t epoch = 0; epoch < native.losses.size(); ++epoch) {
    INFO("epoch " << epoch << ": " << stacked.losses[epoch] << " and " << native.losses[epoch]);
    CHECK(distance(stacked.losses[epoch], native.losses[epoch]) < tolerance);
  }
  INFO("validation: " << stacked.validation_loss << " and " << native.validation_loss);
  CHECK(distance(stacked.validation_loss, native.validation_loss) < tolerance);
  // Networks and outputs are rounded to float.
  const double rounding = std::max(tolerance, 3e-7);
  const auto near = [&](const auto& some, const auto& others) {
    REQUIRE(some.size() == others.size());
    int far = 0;
    for (std::size_t index = 0; index < others.size(); ++index) {
      const double one = double{some[index]}, other = double{others[index]};
      far += !(one == other || std::abs(one - other) < rounding * std::max(1.0, std::abs(other)));
    }
    CHECK(far == 0);
  };
  if (!std::isfinite(native.losses.back())) return;
  near(stacked.network.parameters, native.network.parameters);
  near(stacked.network.buffers, native.network.buffers);
  near(stacked.outputs, native.outputs);
}

bool same_bits(const Outcome& one, const Outcome& other) {
  return one.losses == other.losses && one.network.parameters == other.network.parameters &&
         one.network.buffers == other.network.buffers && one.outputs == other.outputs &&
         one.validation_loss == other.validation_loss;
}

void check_same_bits(const std::vector<Outcome>& some, const std::vector<Outcome>& others,
                     std::optional<std::size_t> but = {}) {
  REQUIRE(some.size() == others.size());
  for (std::size_t model = 0; model < some.size(); ++model)
    if (model != but && std::isfinite(others[model].losses.back())) CHECK(same_bits(some[model], others[model]));
}

void check_bits(const std::vector<Model>& models, const std::vector<Layer>& layers, const DataSet& data,
                const std::vector<Outcome>& expected) {
  const auto train = [&](const Course& course) { return train_stack(models, layers, data, course); };
  check_same_bits(train({1}), expected);
  check_same_bits(train({11}), expected);
  check_same_bits(train({4, true}), expected);
  check_same_bits(train({4, false, 2}), expected);
  check_same_bits(train({4, false, 0, 2}), expected);
  const auto poisoned = train({4, false, 0, 0, 0});
  CHECK(std::isnan(poisoned[0].losses[0]));
  check_same_bits(poisoned, expected, 0);
}

void check_random_stacks(std::uint64_t first, std::uint64_t count, Precision precision, double tolerance,
                         bool tables = false) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomStacks stacks(seed, precision, tables);
    INFO("seed " << seed << "\n" << study_file_text(stacks.study));
    for (const auto& [shape, models] : stacks.groups) {
      REQUIRE(stack_refusal(models[0].trial, stacks.layers) == std::nullopt);
      const auto stacked = train_stack(models, stacks.layers, stacks.data);
      for (std::size_t model = 0; model < models.size(); ++model) {
        INFO("model " << model);
        check_near(stacked[model], train_native(models[model], stacks.layers, stacks.data), tolerance);
      }
      check_bits(models, stacks.layers, stacks.data, stacked);
    }
  }
}

}  // namespace

TEST_CASE("stacks in float64 train like the native engine, with bits that do not depend on the stack") {
  check_random_stacks(1, 40, Precision::float64, 1e-10);
}

TEST_CASE("stacks in float32 train like the native engine, with bits that do not depend on the stack") {
  check_random_stacks(1001, 30, Precision::float32, 1e-3);
}

TEST_CASE("stacks train tables with categories, empty cells and embeddings of numbers") {
  check_random_stacks(2001, 25, Precision::float64, 1e-10, true);
  check_random_stacks(3001, 15, Precision::float32, 1e-3, true);
}

namespace {

// `data` with values in row 0 whose squares are infinite.
DataSet with_overflow(DataSet data) {
  auto features = std::make_shared<std::vector<float>>(data.features, data.features + data.rows * data.feature_count);
  std::fill_n(features->begin(), data.feature_count, 1e38f);
  data.features = features->data();
  data.owner = std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<void>>>(data.owner, features);
  return data;
}

// Two models with all that has a state, in slots of one stack. They do not train on row 0.
struct Pair {
  explicit Pair(OptimizerKind optimizer, Precision precision = Precision::float32) {
    Study study = plain_study();
    study.data = drawn_classes(1200, 5, 3);
    study.model.kind = ModelKind::mlp;
    study.model.hidden = {7};
    study.model.norm = Norm::batch;
    study.model.dropout = 0.25;
    study.train.loss = LossKind::cross_entropy;
    study.train.batch_size = 16;
    study.train.optimizer = optimizer;
    study.train.momentum = 0.5;
    study.train.weight_decay = 0.1;
    study.train.epsilon = 1e-4;
    study.train.average = Average::ema;
    study.train.clip_norm = 1;
    study.train.precision = precision;
    data = with_overflow(draw_synthetic(study.data, 1));
    layers = network_layout(study.model, shape_of(data, study.data));
    const auto split = std::make_shared<const Split>(
        Split{RowSet::range({1, 61}, data.rows), RowSet::range({61, data.rows}, data.rows), {}, {}});
    for (std::uint64_t seed = 1; seed <= 2; ++seed)
      models.push_back({{{}, study.model, study.train},
                        seed,
                        split,
                        {},
                        split->training_rows,
                        initial_weights(layers, Initialization::pytorch, seed)});
  }

  std::unique_ptr<StackTrainer> stack() const {
    auto made = make_torch_stack_trainer(
        {-1, 1}, data, stack_shape(models[0].trial, layers, models[0].scaling, models[0].rows.count()), 2);
    for (std::size_t slot = 0; slot < 2; ++slot)
      made->start(static_cast<std::int64_t>(slot), models[slot].task(layers, data));
    return made;
  }

  // Trains an epoch of the slots that are not idle.
  void train(StackTrainer& stack, std::int64_t epoch, const std::vector<bool>& idle) const {
    const std::vector<std::int64_t> order = models[0].rows.list();
    const LearningRate rate = models[0].rate();
    std::vector<SlotRows> rows(2);
    for (std::size_t slot = 0; slot < 2; ++slot)
      if (!idle[slot])
        rows[slot] = {{order.data(), static_cast<std::int64_t>(order.size()), epoch * models[0].epoch_steps()}, &rate};
    std::vector<double> sums = {1, 1};
    stack.train(rows, sums.data());
    for (std::size_t slot = 0; slot < 2; ++slot) CHECK((sums[slot] == 1) == idle[slot]);
  }

  DataSet data;
  std::vector<Layer> layers;
  std::vector<Model> models;
};

std::string saved_bytes(const StackTrainer& stack, std::int64_t slot) {
  ByteWriter state;
  stack.save(slot, state);
  return state.bytes();
}

}  // namespace

TEST_CASE("nothing of an idle slot changes") {
  for (const Optimizer& optimizer : optimizer_table) {
    const Pair pair(optimizer.kind);
    const auto together = pair.stack(), in_turn = pair.stack();
    for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
      pair.train(*together, epoch, {false, false});
      const std::string before = saved_bytes(*in_turn, 1);
      pair.train(*in_turn, epoch, {false, true});
      CHECK(saved_bytes(*in_turn, 1) == before);
      pair.train(*in_turn, epoch, {true, false});
    }
    for (std::int64_t slot = 0; slot < 2; ++slot) CHECK(saved_bytes(*together, slot) == saved_bytes(*in_turn, slot));
  }
}

TEST_CASE("nothing of a slot's last training remains") {
  for (const Optimizer& optimizer : optimizer_table) {
    const Pair pair(optimizer.kind);
    const auto fresh = pair.stack(), used = pair.stack();
    Model diverged = pair.models[0];
    diverged.weights.assign(diverged.weights.size(), std::numeric_limits<float>::quiet_NaN());
    used->start(1, diverged.task(pair.layers, pair.data));
    pair.train(*used, 0, {false, false});
    for (std::int64_t slot = 0; slot < 2; ++slot)
      used->start(slot, pair.models[static_cast<std::size_t>(slot)].task(pair.layers, pair.data));
    pair.train(*used, 0, {false, false});
    pair.train(*fresh, 0, {false, false});
    for (std::int64_t slot = 0; slot < 2; ++slot) CHECK(saved_bytes(*used, slot) == saved_bytes(*fresh, slot));
  }
}

TEST_CASE("a last batch of one row does not change running statistics") {
  Pair pair(OptimizerKind::adam, Precision::float64);
  Model& model = pair.models[0];
  model.trial.train.batch_size = model.rows.count() - 1;
  model.trial.train.epochs = 1;
  model.trial.train.shuffle = false;
  const auto stacked = train_stack({model}, pair.layers, pair.data),
             native = std::vector{train_native(model, pair.layers, pair.data)};
  REQUIRE(native[0].network.buffers.size() == 14);
  for (std::size_t index = 0; index < 14; ++index)
    CHECK(stacked[0].network.buffers[index] == Approx(native[0].network.buffers[index]).epsilon(1e-10));
}

TEST_CASE("a stack evaluates any number of rows like the native engine") {
  const Pair pair(OptimizerKind::adam, Precision::float64);
  const auto stack = pair.stack();
  const auto native = make_native_trainer();
  const std::vector<std::int64_t> rows = pair.models[1].split->validation_rows.list();
  REQUIRE(rows.size() > 1100);
  native->start(pair.models[1].task(pair.layers, pair.data));
  for (const std::int64_t count : {0, 1, 16, 17, 1024, 1100}) {
    std::vector<float> ours = {5}, theirs = {5};
    std::vector<SlotEvaluation> evaluations = {{1, rows.data(), count, &ours}};
    stack->evaluate(evaluations, all_go_on);
    const double loss = evaluations[0].loss_sum.value();
    CHECK(loss == Approx(native->evaluate(rows.data(), count, theirs, go_on).value()).epsilon(1e-10));
    REQUIRE(ours.size() == theirs.size());
    for (std::size_t index = 0; index < ours.size(); ++index) CHECK(ours[index] == Approx(theirs[index]).epsilon(1e-6));
  }
}

TEST_CASE("the evaluations of one slot can be stopped") {
  const Pair pair(OptimizerKind::adam);
  const auto stack = pair.stack();
  const std::vector<std::int64_t> rows = pair.models[1].split->validation_rows.list();
  std::vector<std::vector<float>> outputs(3);
  std::vector<SlotEvaluation> evaluations = {
      {0, rows.data(), 1100, &outputs[0]}, {1, rows.data(), 1100, &outputs[1]}, {1, rows.data(), 1024, &outputs[2]}};
  stack->evaluate(evaluations, [&](std::int64_t slot) { return slot == 1 && !outputs[1].empty(); });
  CHECK(evaluations[0].loss_sum.has_value());
  CHECK(outputs[0].size() == 1100 * 3);
  CHECK_FALSE(evaluations[1].loss_sum.has_value());
  CHECK(outputs[1].size() == 1024 * 3);
  CHECK_FALSE(evaluations[2].loss_sum.has_value());
  CHECK(outputs[2].empty());
}

namespace {

// Evaluations with models of one shape that have not been trained.
class Evaluator {
 public:
  struct Asked {
    std::size_t model;
    std::vector<std::int64_t> rows;
  };
  struct Answer {
    double loss = -1;
    std::vector<float> outputs;
  };
  // How a stack evaluates.
  struct Way {
    std::int64_t width = 1;
    bool reversed = false;                  // slots
    std::size_t every = 1;                  // of what is asked, in one call; the rest is not
    std::optional<std::size_t> poisoned{};  // this model has NaN
  };

  Evaluator(const RandomStacks& stacks, const StackShape& shape, const std::vector<Model>& models, Dice& dice)
      : stacks_(stacks), shape_(shape), models_(models) {
    for (std::size_t number = 0; number < 2 * models.size(); ++number) {
      std::vector<std::int64_t> rows(dice.one_of<std::size_t>({0, 1, 15, 16, 17, 100, 1024, 1100, 2100}));
      for (std::int64_t& row : rows) row = dice.number(0, stacks.data.rows - 1);
      asked_.push_back({number % models.size(), std::move(rows)});
    }
  }

  std::size_t count() const { return asked_.size(); }
  bool is_asked(std::size_t number, const Way& way) const {
    return number % way.every == 0 && asked_[number].model != way.poisoned;
  }

  std::vector<Answer> answers(const Way& way) const {
    std::vector<Answer> found(asked_.size());
    for (std::size_t first = 0; first < models_.size(); first += static_cast<std::size_t>(way.width))
      ask(first, way, found);
    return found;
  }

 private:
  void ask(std::size_t first, const Way& way, std::vector<Answer>& found) const {
    const auto stack = make_torch_stack_trainer({-1, 1}, stacks_.data, shape_, way.width);
    const std::size_t end = std::min(models_.size(), first + static_cast<std::size_t>(way.width));
    const auto slot_of = [&](std::size_t model) {
      const auto place = static_cast<std::int64_t>(model - first);
      return way.reversed ? way.width - 1 - place : place;
    };
    for (std::size_t model = first; model < end; ++model) {
      Model started = models_[model];
      if (way.poisoned == model) started.weights.assign(started.weights.size(), std::nanf(""));
      stack->start(slot_of(model), started.task(stacks_.layers, stacks_.data));
    }
    std::vector<SlotEvaluation> evaluations;
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < asked_.size(); number += way.every) {
      if (asked_[number].model < first || asked_[number].model >= end) continue;
      numbers.push_back(number);
      evaluations.push_back(evaluation_of(slot_of(asked_[number].model), asked_[number].rows, found[number].outputs));
    }
    stack->evaluate(evaluations, all_go_on);
    for (std::size_t index = 0; index < numbers.size(); ++index)
      found[numbers[index]].loss = evaluations[index].loss_sum.value();
  }

  const RandomStacks& stacks_;
  StackShape shape_;
  const std::vector<Model>& models_;
  std::vector<Asked> asked_;
};

// Outputs may be NaN.
template <class Number>
bool same_bytes(const std::vector<Number>& one, const std::vector<Number>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size() * sizeof(Number)) == 0;
}

void check_evaluations(std::uint64_t seed, Precision precision, bool table) {
  RandomStacks stacks(seed, precision, table);
  INFO("seed " << seed << "\n" << study_file_text(stacks.study));
  for (const auto& [shape, models] : stacks.groups) {
    const Evaluator evaluator(stacks, shape, models, stacks.dice);
    const auto expected = evaluator.answers({1});
    for (const Evaluator::Way& way :
         {Evaluator::Way{4}, {11}, {4, true}, {11, true}, {11, false, 3}, {11, false, 1, 0}}) {
      INFO("width " << way.width);
      const auto found = evaluator.answers(way);
      for (std::size_t number = 0; number < evaluator.count(); ++number) {
        if (!evaluator.is_asked(number, way)) continue;
        CHECK(same_bytes<double>({found[number].loss}, {expected[number].loss}));
        CHECK(same_bytes(found[number].outputs, expected[number].outputs));
      }
    }
  }
}

}  // namespace

TEST_CASE("the bits of an evaluation do not depend on the stack nor on the other evaluations") {
  for (std::uint64_t seed = 5001; seed <= 5008; ++seed) {
    check_evaluations(seed, Precision::float32, seed % 2 == 0);
    check_evaluations(seed, Precision::float64, seed % 2 == 1);
  }
}

TEST_CASE("a stack does not restore a state that is too short") {
  const Pair pair(OptimizerKind::adam);
  const auto stack = pair.stack();
  const std::string state = saved_bytes(*stack, 0), part = state.substr(0, state.size() - 1);
  ByteReader reader(part);
  CHECK_THROWS_AS(stack->restore(0, reader), std::out_of_range);
}

TEST_CASE("a stack on a GPU that does not exist") {
  const Pair pair(OptimizerKind::adam);
  const StackShape shape = stack_shape(pair.models[0].trial, pair.layers, {}, 100);
  CHECK_THROWS_WITH(make_torch_stack_trainer({100, 1}, pair.data, shape, 2), StartsWith("GPU 100 cannot be used"));
}
