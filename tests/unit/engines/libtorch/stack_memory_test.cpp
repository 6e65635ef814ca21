// Whether the planned memory of stacks holds: what LibTorch allocates in trainings against stack_memory().
// SPDX-License-Identifier: MIT
#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "data/splits.hpp"
#include "data/synthetic.hpp"
#include "engines/libtorch/stack_batch_layout.hpp"
#include "engines/libtorch/torch_stack_trainer.hpp"
#include "models/initial_weights.hpp"
#include "models/network_layout.hpp"
#include "study/settings.hpp"
#include "support/random_studies.hpp"
#include "support/small_studies.hpp"
#include "training/epoch_rows.hpp"
#include "training/stack_width.hpp"
#include "training/training_cost.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// The bytes of the tensors that a thread has made: now, and the most so far. The types of the sizes depend on the
// version of LibTorch.
template <class Function>
class CountedBytes;
template <class Size>
class CountedBytes<void (c10::MemoryReportingInfoBase::*)(void*, std::int64_t, Size, Size, c10::Device)>
    : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*address*/, std::int64_t bytes, Size /*all*/, Size /*reserved*/,
                         c10::Device /*device*/) override {
    now_ += bytes;
    most_ = std::max(most_, now_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  double most() const { return static_cast<double>(most_); }

 private:
  std::int64_t now_ = 0, most_ = 0;
};
using TensorBytes = CountedBytes<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>;

struct Network {
  std::int64_t features, classes;
  std::vector<std::pair<std::string, std::string>> settings;
  bool is_table = false;
};

struct Memory {
  double used;          // the most at the same time, without the two blocks that are on the host
  StackMemory planned;  // in which fixed_bytes are for a GPU
};

// Trains a full stack for an epoch and evaluates all of its models.
Memory measure(const Network& network, std::int64_t width) {
  Study study = plain_study();
  study.data = drawn_classes(500, network.features, network.classes);
  study.data.validation = 0.2;
  study.data.normalize = Normalize::standard;
  study.model.kind = ModelKind::mlp;
  study.train.loss = LossKind::cross_entropy;
  study.train.learning_rate = 1e-3;
  for (const auto& [key, value] : network.settings) apply_setting(study, key, value);
  Dice dice(5);
  DataSet data = draw_synthetic(study.data, 3);
  if (network.is_table) data = as_table(std::move(data), dice);
  const Trial trial{{}, study.model, study.train};
  const std::vector<Layer> layers = network_layout(trial.model, shape_of(data, study.data));
  Splits splits(study, data);
  const auto split = splits.split(0, 0);
  const RowSet& rows = split->training_rows;
  const FeatureScaling scaling = scaling_for(layers, *splits.scaling(0, 0, scaling_kind(trial)));
  const std::vector<float> weights = initial_weights(layers, study.model.initialization, 1);
  const TrainingTask task{trial, layers, weights, data, *split, scaling, rows, 1, {}, false, {}};
  const StackShape shape = stack_shape(trial, layers, scaling, rows.count());
  EpochRows order(rows, trial.train, trial.model, 1);
  const LearningRate rate(trial.train, shape.epoch_batches);

  const auto bytes = std::make_shared<TensorBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
  const auto stack = make_torch_stack_trainer({-1, 1}, data, shape, width);
  for (std::int64_t slot = 0; slot < width; ++slot) stack->start(slot, task);
  const SlotRows next{{order.of(0), rows.count(), 0}, &rate};
  std::vector<double> sums(static_cast<std::size_t>(width), 0);
  stack->train(std::vector<SlotRows>(static_cast<std::size_t>(width), next), sums.data());
  const auto held_out = split->validation_rows.list();
  std::vector<std::vector<float>> outputs(static_cast<std::size_t>(width));
  std::vector<SlotEvaluation> evaluations;
  for (std::int64_t slot = 0; slot < width; ++slot)
    evaluations.push_back(
        {slot, held_out.data(), static_cast<std::int64_t>(held_out.size()), &outputs[static_cast<std::size_t>(slot)]});
  stack->evaluate(evaluations, [](std::int64_t) { return false; });
  const std::int64_t batch_bytes = StackBatchLayout(shape, width).bytes();
  const double block_bytes = static_cast<double>(batches_at_once(batch_bytes) * batch_bytes);
  return {bytes->most() - 2 * block_bytes, stack_memory(shape)};
}

const std::vector<Network> networks = {
    {64, 10, {{"model.hidden", "32"}, {"train.batch_size", "32"}}},
    {784, 10, {{"model.hidden", "128"}, {"train.batch_size", "32"}}},
    {784, 10, {{"model.hidden", "512"}, {"train.batch_size", "128"}}},
    {20, 10, {{"model.hidden", "16"}, {"train.batch_size", "256"}}},
    {8, 300, {{"model.hidden", "16"}, {"train.batch_size", "64"}}},
    {8, 3, {{"model.hidden", "64 64 64 64"}, {"train.batch_size", "100"}, {"model.dropout", "0.3"}}},
    {30, 5, {{"model.hidden", "64 64"}, {"model.norm", "batch"}, {"model.dropout", "0.3"}}},
    {30, 5, {{"model.hidden", "64 64"}, {"model.norm", "layer"}, {"model.activation", "gelu"}}},
    {64, 5, {{"model.hidden", "64"}, {"train.precision", "float64"}, {"train.average", "ema"}}},
    {64, 5, {{"model.hidden", "128 128"}, {"train.l1", "0.1"}, {"train.clip_norm", "1"}, {"train.clip_value", "1"}}},
    {64, 5, {{"model.hidden", "128 128"}, {"train.optimizer", "rmsprop"}, {"train.momentum", "0.5"}}},
    {64, 5, {{"model.hidden", "128 128"}, {"train.optimizer", "nadam"}}},
    {64, 5, {{"model.hidden", "128 128"}, {"train.optimizer", "sgd"}}},
    {100, 2, {{"model.kind", "linear"}, {"train.batch_size", "64"}}},
    {20, 5, {{"model.hidden", "32"}, {"model.embedding", "piecewise"}, {"train.batch_size", "64"}}, true},
    {40, 5, {{"model.hidden", "32"}, {"model.categories", "embedding"}, {"train.batch_size", "64"}}, true},
    {40, 5, {{"model.hidden", "32"}, {"model.categories", "one_hot"}, {"train.batch_size", "64"}}, true},
};

}  // namespace

TEST_CASE("a stack allocates at most what is planned, and not much less") {
  constexpr std::int64_t few = 4, many = 36;
  for (const Network& network : networks) {
    std::string text;
    for (const auto& [key, value] : network.settings) text += key + " = " + value + " ";
    const Memory narrow = measure(network, few), wide = measure(network, many);
    const double slot = (wide.used - narrow.used) / static_cast<double>(many - few);
    INFO(network.features << " features, " << text << "table " << network.is_table << ": " << slot
                          << " bytes for each model, planned " << wide.planned.model_bytes << "; used " << wide.used);
    CHECK(slot <= wide.planned.model_bytes);
    CHECK(wide.used <= wide.planned.bytes(many));
    CHECK(wide.planned.model_bytes <= 3 * slot);
  }
}
