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
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "data/synthetic.hpp"
#include "engines/libtorch/torch_stack_trainer.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/stack_refusal.hpp"
#include "models/initial_weights.hpp"
#include "study/settings.hpp"
#include "support/small_studies.hpp"
#include "support/test_device.hpp"
#include "training/epoch_rows.hpp"
#include "unit/engines/libtorch/drawn_stacks.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// What a training gives: losses of its epochs, and after the last one the network and an evaluation.
struct Outcome {
  std::vector<double> losses;
  std::vector<double> validation_losses;  // of all epochs, or of the last one
  NetworkState network;
  std::vector<float> outputs;
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
  const auto rows = model.split->validation_rows.list();
  Outcome outcome;
  do {
    double sum = 0;
    const auto epoch = static_cast<std::int64_t>(outcome.losses.size());
    trainer->train({order.of(epoch), model.rows.count(), epoch * model.epoch_steps()}, rate, sum);
    outcome.losses.push_back(sum);
    outcome.outputs.clear();
    outcome.validation_losses.push_back(
        trainer->evaluate(rows.data(), static_cast<std::int64_t>(rows.size()), outcome.outputs, go_on).value());
  } while (!ends_after(model, static_cast<std::int64_t>(outcome.losses.size()), outcome.losses.back()));
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
  bool validates_all = false;             // after every epoch, not only after the last one
  std::optional<bool> ahead{};            // a second thread prepares batches; if not given, on a GPU
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
    return make_torch_stack_trainer({test_gpu(), 1}, data_, shape_, course_.width, course_.ahead);
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
    std::vector<std::int64_t> trained, ended;
    for (std::int64_t slot = 0; slot < course_.width; ++slot) {
      if (!at(slot)) continue;
      trained.push_back(slot);
      if (ends(slot, sums[static_cast<std::size_t>(slot)])) ended.push_back(slot);
    }
    validate(course_.validates_all ? trained : ended);
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

  // Evaluates the models in these slots together.
  void validate(const std::vector<std::int64_t>& slots) {
    std::vector<std::vector<std::int64_t>> rows;
    for (const std::int64_t slot : slots) rows.push_back(models_[at(slot)->model].split->validation_rows.list());
    std::vector<SlotEvaluation> evaluations;
    for (std::size_t index = 0; index < slots.size(); ++index) {
      std::vector<float>& outputs = outcomes_[at(slots[index])->model].outputs;
      outputs.clear();
      evaluations.push_back(evaluation_of(slots[index], rows[index], outputs));
    }
    stack_->evaluate(evaluations, all_go_on);
    for (const SlotEvaluation& each : evaluations)
      outcomes_[at(each.slot)->model].validation_losses.push_back(each.loss_sum.value());
  }

  void finish(const std::vector<std::int64_t>& slots) {
    for (const std::int64_t slot : slots) {
      outcomes_[at(slot)->model].network = stack_->network(slot);
      at(slot).reset();
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

// The greatest differences of a test to the native engine. They are printed if the number of stacks is not the usual
// one.
struct Differences {
  double losses = 0;  // relative
  double values = 0;  // of parameters, buffers and outputs, relative to values above 1; they are rounded to float
};

void check_losses(const std::vector<double>& ours, const std::vector<double>& theirs, double tolerance,
                  Differences& greatest) {
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t epoch = 0; epoch < theirs.size(); ++epoch) {
    INFO("epoch " << epoch << ": " << ours[epoch] << " and " << theirs[epoch]);
    const double difference = distance(ours[epoch], theirs[epoch]);
    CHECK(difference < tolerance);
    greatest.losses = std::max(greatest.losses, difference);
  }
}

template <class List>
void check_values(const List& ours, const List& theirs, double tolerance, Differences& greatest) {
  REQUIRE(ours.size() == theirs.size());
  double largest = 0;
  for (std::size_t index = 0; index < theirs.size(); ++index) {
    const double one = double{ours[index]}, other = double{theirs[index]};
    if (one == other) continue;
    const double difference = std::abs(one - other) / std::max(1.0, std::abs(other));
    largest = std::isnan(difference) ? difference : std::max(largest, difference);
  }
  CHECK(largest < std::max(tolerance, 3e-7));
  greatest.values = std::max(greatest.values, largest);
}

void check_near(const Outcome& stacked, const Outcome& native, double tolerance, Differences& greatest) {
  check_losses(stacked.losses, native.losses, tolerance, greatest);
  check_losses(stacked.validation_losses, native.validation_losses, tolerance, greatest);
  if (!std::isfinite(native.losses.back())) return;
  check_values(stacked.network.parameters, native.network.parameters, tolerance, greatest);
  check_values(stacked.network.buffers, native.network.buffers, tolerance, greatest);
  check_values(stacked.outputs, native.outputs, tolerance, greatest);
}

bool same_bits(const Outcome& one, const Outcome& other) {
  return one.losses == other.losses && one.network.parameters == other.network.parameters &&
         one.network.buffers == other.network.buffers && one.outputs == other.outputs &&
         one.validation_losses.back() == other.validation_losses.back();
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
  if (test_gpu() < 0) {  // on a GPU, products of other widths may be computed in another way
    check_same_bits(train({1}), expected);
    check_same_bits(train({11}), expected);
  }
  check_same_bits(train({4, true}), expected);
  check_same_bits(train({4, false, 2}), expected);
  check_same_bits(train({4, false, 0, 2}), expected);
  Course other_preparation;
  other_preparation.ahead = test_gpu() < 0;
  check_same_bits(train(other_preparation), expected);
  const auto poisoned = train({4, false, 0, 0, 0});
  CHECK(std::isnan(poisoned[0].losses[0]));
  check_same_bits(poisoned, expected, 0);
}

void check_random_stacks(const Drawing& drawing) {
  Differences greatest;
  for (std::uint64_t seed = drawing.first_seed; seed < drawing.first_seed + drawing.count(); ++seed) {
    const RandomStacks stacks(seed, drawing.precision, drawing.tables);
    INFO("seed " << seed << "\n" << study_file_text(stacks.study));
    for (const auto& [shape, models] : stacks.groups) {
      REQUIRE(stack_refusal(models[0].trial, stacks.layers) == std::nullopt);
      Course course;
      course.validates_all = true;
      const auto stacked = train_stack(models, stacks.layers, stacks.data, course);
      for (std::size_t model = 0; model < models.size(); ++model) {
        INFO("model " << model);
        check_near(stacked[model], train_native(models[model], stacks.layers, stacks.data), drawing.tolerance,
                   greatest);
      }
      check_bits(models, stacks.layers, stacks.data, stacked);
    }
  }
  if (stacks_to_test(all_stacks) != all_stacks)
    WARN(drawing.count() << " stacks; greatest differences: losses " << greatest.losses << ", values "
                         << greatest.values);
}

}  // namespace

namespace {

// What must occur among the drawn models, besides the rows of tables.
struct Ingredient {
  const char* name;
  bool (*is_in)(const RandomStacks& stacks, const Model& model);
};

const auto first_layer = [](const RandomStacks& stacks) -> const Layer& { return stacks.layers.front(); };

const Ingredient ingredients[] = {
    {"no hidden layer", [](const auto& stacks, const auto&) { return stacks.study.model.kind == ModelKind::linear; }},
    {"no bias", [](const auto& stacks, const auto&) { return !stacks.study.model.bias; }},
    {"layer norm", [](const auto&, const auto& model) { return model.trial.model.norm == Norm::layer; }},
    {"batch norm", [](const auto&, const auto& model) { return model.trial.model.norm == Norm::batch; }},
    {"dropout", [](const auto&, const auto& model) { return model.trial.model.dropout > 0; }},
    {"sum", [](const auto&, const auto& model) { return model.trial.train.reduction == Reduction::sum; }},
    {"label smoothing", [](const auto&, const auto& model) { return model.trial.train.label_smoothing > 0; }},
    {"warm-up", [](const auto&, const auto& model) { return model.trial.train.warmup_epochs > 0; }},
    {"a reduced rate", [](const auto&, const auto& model) { return !model.reductions.empty(); }},
    {"momentum", [](const auto&, const auto& model) { return model.trial.train.momentum > 0; }},
    {"nesterov", [](const auto&, const auto& model) { return model.trial.train.nesterov; }},
    {"weight decay", [](const auto&, const auto& model) { return model.trial.train.weight_decay > 0; }},
    {"a limited norm", [](const auto&, const auto& model) { return model.trial.train.clip_norm > 0; }},
    {"limited values", [](const auto&, const auto& model) { return model.trial.train.clip_value > 0; }},
    {"l1", [](const auto&, const auto& model) { return model.trial.train.l1 > 0; }},
    {"averages", [](const auto&, const auto& model) { return model.trial.train.average == Average::ema; }},
    {"balanced classes", [](const auto&, const auto& model) { return model.trial.train.class_weights.balanced; }},
    {"weights of classes",
     [](const auto&, const auto& model) { return !model.trial.train.class_weights.of_classes.empty(); }},
    {"weights of rows", [](const auto& stacks, const auto&) { return stacks.data.weights != nullptr; }},
    {"one batch", [](const auto&, const auto& model) { return model.epoch_steps() == 1; }},
    {"no order", [](const auto& stacks, const auto&) { return !stacks.study.train.shuffle; }},
    {"rows drawn twice",
     [](const auto&, const auto& model) { return model.rows.list() != model.split->training_rows.list(); }},
    {"folds", [](const auto& stacks, const auto&) { return stacks.study.search.folds > 1; }},
    {"labels", [](const auto& stacks, const auto&) { return stacks.data.task == Task::multilabel; }},
    {"bytes", [](const auto& stacks, const auto&) { return stacks.data.byte_features != nullptr; }},
    {"plain features", [](const auto&, const auto& model) { return model.scaling.shift.empty(); }},
    {"scaled features", [](const auto&, const auto& model) { return !model.scaling.shift.empty(); }},
    {"clipped features", [](const auto&, const auto& model) { return !model.scaling.clip.empty(); }},
    {"scaled targets", [](const auto&, const auto& model) { return model.split->target_scaling.is_active(); }},
    {"filled cells", [](const auto& stacks, const auto&) { return stacks.data.has_empty_cells(); }},
    {"inputs of empty cells", [](const auto& stacks, const auto&) { return first_layer(stacks).empty_count() > 0; }},
    {"embedded numbers", [](const auto& stacks, const auto&) { return first_layer(stacks).piecewise_count() > 0; }},
    {"embedded categories", [](const auto& stacks, const auto&) { return first_layer(stacks).lookup_count() > 0; }},
    {"several shapes", [](const auto& stacks, const auto&) { return stacks.groups.size() > 1; }},
};

}  // namespace

TEST_CASE("the drawn stacks have all that stacks train") {
  std::set<std::string> found;
  for (const Drawing& drawing : drawings)
    for (std::uint64_t seed = drawing.first_seed; seed < drawing.first_seed + drawing.usual; ++seed) {
      const RandomStacks stacks(seed, drawing.precision, drawing.tables);
      for (const auto& [shape, models] : stacks.groups)
        for (const Model& model : models) {
          const TrainOptions& train = model.trial.train;
          found.insert("loss " + std::string(loss_of(train.loss).name));
          found.insert("optimizer " + std::string(optimizer_of(train.optimizer).name));
          found.insert("schedule " + std::string(schedule_of(train.schedule).name));
          found.insert("activation " + std::string(activation_of(model.trial.model.activation).name));
          for (const Ingredient& ingredient : ingredients)
            if (ingredient.is_in(stacks, model)) found.insert(ingredient.name);
        }
    }
  const auto require_all = [&](const std::string& kind, const auto& table) {
    for (const auto& row : table) {
      INFO(kind << row.name);
      CHECK(found.count(kind + std::string(row.name)) == 1);
    }
  };
  require_all("loss ", loss_table);
  require_all("optimizer ", optimizer_table);
  require_all("schedule ", schedule_table);
  require_all("activation ", activation_table);
  require_all("", ingredients);
}

TEST_CASE("stacks in float64 train like the native engine, with bits that do not depend on the stack") {
  check_random_stacks(plain_double);
}

TEST_CASE("stacks in float32 train like the native engine, with bits that do not depend on the stack") {
  check_random_stacks(plain_float);
}

TEST_CASE("stacks train tables with categories, empty cells and embeddings of numbers") {
  check_random_stacks(tables_double);
  check_random_stacks(tables_float);
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
        {test_gpu(), 1}, data, stack_shape(models[0].trial, layers, models[0].scaling, models[0].rows.count()), 2);
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
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Number)) == 0);
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
