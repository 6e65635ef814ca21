// Tests of batches of stacks that are computed step by step: the reference for StackTraining, and what idle slots do.
// On a GPU, StackTraining has CUDA graphs, and the reference has none.
// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_batches.hpp"

#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "data/synthetic.hpp"
#include "engines/libtorch/stack_step.hpp"
#include "engines/libtorch/stack_training.hpp"
#include "engines/libtorch/torch_device.hpp"
#include "engines/native/flush_denormals.hpp"
#include "models/initial_weights.hpp"
#include "models/network_layout.hpp"
#include "support/small_studies.hpp"
#include "support/test_device.hpp"
#include "training/training_cost.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t batch_rows = 3;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

// Models with all that has a state, which differ in seeds and rates, and their rows.
struct Models {
  Models(std::int64_t count, OptimizerKind optimizer, Precision precision) {
    ModelOptions model = plain_model();
    model.kind = ModelKind::mlp;
    model.hidden = {7, 5};
    model.norm = Norm::batch;
    model.dropout = 0.25;
    TrainOptions train = plain_training();
    train.loss = LossKind::cross_entropy;
    train.batch_size = batch_rows;
    train.optimizer = optimizer;
    train.momentum = 0.5;
    train.weight_decay = 0.1;
    train.average = Average::ema;
    train.clip_norm = 1;
    train.precision = precision;
    trial = {{}, model, train};
    layers = network_layout(model, shape_of(data, plain_data()));
    shape = stack_shape(trial, layers, {}, split.training_rows.count());
    for (std::int64_t slot = 0; slot < count; ++slot) {
      Trial of_slot = trial;
      of_slot.train.learning_rate = 0.01 * static_cast<double>(slot + 1);
      of_slot.model.dropout = slot == 0 ? 0.25 : 0.5;
      trials.push_back(of_slot);
      rates.emplace_back(of_slot.train, shape.epoch_batches);
      weights.push_back(initial_weights(layers, Initialization::pytorch, static_cast<std::uint64_t>(slot)));
    }
  }

  std::int64_t width() const { return static_cast<std::int64_t>(trials.size()); }

  TrainingTask task(std::int64_t slot) const {
    const auto index = static_cast<std::size_t>(slot);
    return {trials[index], layers, weights[index], data, split, scaling, split.training_rows, 7 + index};
  }

  // `batches` batches of all slots from batch `first` of an epoch on; the last one is not full. Slot 1 is idle.
  std::vector<SlotRows> rows(std::int64_t first, std::int64_t batches) const {
    std::vector<SlotRows> of_slots(trials.size());
    for (std::size_t slot = 0; slot < trials.size(); ++slot)
      if (slot != 1) of_slots[slot] = {{order.data() + slot, batches * batch_rows - 1, first}, &rates[slot]};
    return of_slots;
  }

  static DataSet drawn_data() {
    DataOptions options = drawn_classes(100, 4, 3);
    return draw_synthetic(options, 1);
  }

  DataSet data = drawn_data();
  Split split{RowSet::all(data.rows), {}, {}, {}};
  FeatureScaling scaling{};
  std::vector<std::int64_t> order = split.training_rows.list();
  Trial trial;
  std::vector<Layer> layers;
  StackShape shape;
  std::vector<Trial> trials;
  std::vector<LearningRate> rates;
  std::vector<std::vector<float>> weights;
};

// How stacks are used: on a stream of their own.
struct OnDevice {
  torch::Device device = torch_device(test_gpu());
  c10::StreamGuard stream{own_stream(device)};
  c10::InferenceMode inference{};
};

// Steps with one batch after the other, each in memory of its own.
class PlainSteps {
 public:
  PlainSteps(const Models& models, torch::Device device)
      : device_(device),
        step_(models.shape, models.width(), models.data, data_tensors(models.data, device)),
        batches_(models.shape, models.width(), models.data),
        slots_(models.trials.size()) {
    for (std::int64_t slot = 0; slot < models.width(); ++slot) start(slot, models.task(slot));
  }

  void start(std::int64_t slot, const TrainingTask& task) {
    slots_[static_cast<std::size_t>(slot)].emplace(task);
    step_.start(slot, task);
  }

  void train(const std::vector<SlotRows>& rows, std::vector<double>& sums) {
    const FlushDenormals flush;
    torch::Tensor found = torch::tensor(sums, torch::kFloat64).to(device_);
    for (std::int64_t batch = 0; batch < batches_.count(rows); ++batch) train(rows, batch, found);
    const torch::Tensor copy = found.to(torch::kCPU);
    std::copy_n(copy.data_ptr<double>(), sums.size(), sums.begin());
  }

  // A step in which all slots are idle.
  void train_nothing() {
    torch::Tensor sums =
        torch::zeros({batches_.layout().slots()}, torch::TensorOptions(torch::kFloat64).device(device_));
    train(std::vector<SlotRows>(slots_.size()), 0, sums);
  }

  std::string saved(std::int64_t slot) const {
    ByteWriter state;
    step_.save(slot, state);
    return state.bytes();
  }

 private:
  void train(const std::vector<SlotRows>& rows, std::int64_t batch, torch::Tensor& sums) {
    const torch::Tensor bytes = torch::zeros({batches_.layout().bytes()}, torch::kUInt8);
    batches_.fill(rows, {batch, batch + 1}, slots_, bytes.data_ptr<std::uint8_t>());
    step_.train(batches_.layout().batch(bytes.to(device_)), sums);
  }

  torch::Device device_;
  StackStep step_;
  StackBatches batches_;
  std::vector<std::optional<StackSlot>> slots_;
};

std::string saved(const StackTraining& training, std::int64_t slot) {
  ByteWriter state;
  training.save(slot, state);
  return state.bytes();
}

}  // namespace

TEST_CASE("a stack trains any number of batches with the bits of its steps one by one") {
  const OnDevice on;
  for (const std::int64_t width : {1, 4, 11})
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      const Models models(width, OptimizerKind::adam, precision);
      const auto tensors = std::make_shared<const DataTensors>(data_tensors(models.data, on.device));
      PlainSteps plain(models, on.device);
      StackTraining in_turn(models.shape, width, models.data, tensors, false),
          ahead(models.shape, width, models.data, tensors, true);
      for (std::int64_t slot = 0; slot < width; ++slot)
        for (StackTraining* training : {&in_turn, &ahead}) training->start(slot, models.task(slot));
      std::int64_t first = 0;
      for (const std::int64_t batches : {1, 7, 8, 9, 16, 21}) {
        const std::vector<SlotRows> rows = models.rows(first, batches);
        first += batches;
        std::vector<double> expected(static_cast<std::size_t>(width), 0.5), sums = expected, others = expected;
        plain.train(rows, expected);
        in_turn.train(rows, sums.data());
        ahead.train(rows, others.data());
        CHECK(expected[0] > 0.5);
        if (width > 1) {  // the sum of an idle slot is not given
          CHECK(sums[1] == 0.5);
          expected[1] = 0.5;
        }
        CHECK(sums == expected);
        CHECK(others == expected);
        for (std::int64_t slot = 0; slot < width; ++slot) {
          CHECK((saved(in_turn, slot) == plain.saved(slot)));
          CHECK((saved(ahead, slot) == plain.saved(slot)));
        }
      }
    }
}

TEST_CASE("a step in which all slots are idle changes nothing, not even in a slot that holds NaN") {
  const OnDevice on;
  for (const Optimizer& optimizer : optimizer_table)
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      Models models(3, optimizer.kind, precision);
      models.weights[2].assign(models.weights[2].size(), not_a_number);
      PlainSteps steps(models, on.device);
      std::vector<double> sums(3, 0);
      steps.train(models.rows(0, 9), sums);
      CHECK(std::isnan(sums[2]));
      std::vector<std::string> before;
      for (std::int64_t slot = 0; slot < 3; ++slot) before.push_back(steps.saved(slot));
      steps.train_nothing();
      for (std::int64_t slot = 0; slot < 3; ++slot) {
        INFO("slot " << slot);
        CHECK((steps.saved(slot) == before[static_cast<std::size_t>(slot)]));
      }
    }
}

TEST_CASE("the first steps of a stack, before a slot has begun, do not change its results") {
  const OnDevice on;
  const Models models(3, OptimizerKind::nadam, Precision::float32);
  PlainSteps fresh(models, on.device), used(models, on.device);
  for (int number = 0; number < 9; ++number) used.train_nothing();
  for (std::int64_t slot = 0; slot < 3; ++slot) used.start(slot, models.task(slot));
  std::vector<double> sums(3, 0), others(3, 0);
  fresh.train(models.rows(0, 9), sums);
  used.train(models.rows(0, 9), others);
  for (std::int64_t slot = 0; slot < 3; ++slot) CHECK((used.saved(slot) == fresh.saved(slot)));
  CHECK(sums == others);
}
