// Tests that the step of a stack reads no value on the host: it runs on LibTorch's meta device, whose tensors have no
// values.
// SPDX-License-Identifier: MIT
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <torch/library.h>

#include <string>
#include <vector>

#include "engines/libtorch/stack_batches.hpp"
#include "engines/libtorch/stack_step.hpp"
#include "models/network_layout.hpp"
#include "support/small_studies.hpp"
#include "training/training_cost.hpp"

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t width = 3;

torch::Tensor& abs_out(const torch::Tensor& values, torch::Tensor& to) {
  to.resize_(values.sizes());
  return to;
}
torch::Tensor isnan(const torch::Tensor& values) {
  return torch::empty_like(values, torch::kBool);
}
torch::Tensor where(const torch::Tensor& condition, const torch::Tensor& one, const torch::Tensor& other) {
  return torch::empty_like(torch::broadcast_tensors({condition, one, other})[1], torch::MemoryFormat::Contiguous);
}
torch::Tensor index_select(const torch::Tensor& values, std::int64_t dimension, const torch::Tensor& indices) {
  std::vector<std::int64_t> sizes = values.sizes().vec();
  sizes[static_cast<std::size_t>(dimension)] = indices.numel();
  return torch::empty(sizes, values.options());
}
torch::Tensor searchsorted(const torch::Tensor& /*edges*/, const torch::Tensor& values, bool /*as_int32*/,
                           bool /*right*/, c10::optional<c10::string_view> /*side*/,
                           const c10::optional<torch::Tensor>& /*sorter*/) {
  return torch::empty_like(values, torch::kInt64);
}

// LibTorch 1.13 does not have these functions for the meta device. Their results have no values, only sizes.
void add_missing_functions() {
  static torch::Library functions(torch::Library::IMPL, "aten", c10::DispatchKey::Meta, __FILE__, __LINE__);
  const auto add = [](const std::string& name, const std::string& overload, auto* function) {
    const auto known = c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + name).c_str(), overload.c_str());
    if (known.hasKernelForDispatchKey(c10::DispatchKey::Meta)) return;
    functions.impl((overload.empty() ? name : name + "." + overload).c_str(), function);
  };
  add("abs", "out", abs_out);
  add("isnan", "", isnan);
  add("where", "self", where);
  add("index_select", "", index_select);
  add("searchsorted", "Tensor", searchsorted);
}

torch::Tensor on_meta(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.to(torch::kMeta) : tensor;
}

StackBatch on_meta(StackBatch batch) {
  for (torch::Tensor* tensor : {&batch.rows, &batch.weights, &batch.numbers}) *tensor = on_meta(*tensor);
  for (torch::Tensor& mask : batch.masks) mask = on_meta(mask);
  return batch;
}

const DataSet numbers = regression_data(2, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4});
const DataSet table = [] {  // a number with an input for empty cells, and a category
  DataSet data = numbers;
  data.kinds = {{0, true}, {12, false}};
  return data;
}();
const DataSet classes = classification_data(2, {1, 2, 3, 4, 5, 6, 7, 8}, {0, 1, 2, 1}, 3);

// A step of slots, of which the last one is idle.
torch::Tensor step_on_meta(const ModelOptions& model, const TrainOptions& train, const DataSet& data) {
  add_missing_functions();
  const c10::InferenceMode inference;
  const Trial trial{{}, model, train};
  const std::vector<Layer> layers = network_layout(model, shape_of(data, plain_data()));
  const std::vector<float> weights(static_cast<std::size_t>(parameter_count(layers)), 0.5f);
  const Split split{RowSet::all(data.rows), {}, {}, {}};
  const FeatureScaling scaling{{0, 0}, {1, 1}, {1, 1}};
  const TrainingTask task{trial, layers, weights, data, split, scaling, split.training_rows, 1};
  const StackShape shape = stack_shape(trial, layers, scaling, data.rows);
  const DataTensors tensors = data_tensors(data, torch::kCPU);
  StackStep step(shape, width, data, {on_meta(tensors.features), on_meta(tensors.targets), on_meta(tensors.weights)});
  std::vector<std::optional<StackSlot>> slots(width);
  std::vector<SlotRows> rows(width);
  const std::vector<std::int64_t> order = split.training_rows.list();
  const LearningRate rate(train, shape.epoch_batches);
  for (std::size_t slot = 0; slot + 1 < slots.size(); ++slot) {
    slots[slot].emplace(task);
    rows[slot] = {{order.data(), data.rows, 0}, &rate};
  }
  const StackBatches batches(shape, width, data);
  const std::int64_t count = batches.count(rows);
  const torch::Tensor bytes = torch::zeros({count, batches.layout().bytes()}, torch::kUInt8);
  batches.fill(rows, {0, count}, slots, bytes.data_ptr<std::uint8_t>());
  torch::Tensor sums = torch::zeros({width}, torch::TensorOptions(torch::kFloat64).device(torch::kMeta));
  for (std::int64_t batch = 0; batch < count; ++batch) step.train(on_meta(batches.layout().batch(bytes[batch])), sums);
  const auto numbers_of = [&](at::IntArrayRef sizes) {
    return torch::zeros(sizes, sums.options().dtype(torch::kInt64));
  };
  const auto evaluated = step.evaluate(numbers_of({2}), numbers_of({2, 16}), numbers_of({2, 1}));
  CHECK(evaluated.outputs.sizes() == at::IntArrayRef({2, 16, data.output_count}));
  CHECK(evaluated.loss_sums.sizes() == at::IntArrayRef({2}));
  return sums;
}

ModelOptions deep_model() {
  ModelOptions model = plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = {5, 4};
  model.dropout = 0.5;
  return model;
}

TrainOptions short_training(LossKind loss) {
  TrainOptions train = plain_training();
  train.batch_size = 3;
  train.loss = loss;
  return train;
}

}  // namespace

TEST_CASE("a step reads no value on the host: activations and norms") {
  for (const ActivationRow& activation : activation_table)
    for (const Norm norm : {Norm::none, Norm::layer, Norm::batch}) {
      ModelOptions model = deep_model();
      model.activation = activation.kind;
      model.norm = norm;
      CHECK_NOTHROW(step_on_meta(model, short_training(LossKind::cross_entropy), classes));
    }
}

TEST_CASE("a step reads no value on the host: losses") {
  for (const Loss& loss : loss_table) {
    TrainOptions train = short_training(loss.kind);
    train.label_smoothing = 0.1;
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      train.precision = precision;
      CHECK_NOTHROW(step_on_meta(deep_model(), train, loss.needs_classes() ? classes : numbers));
    }
  }
}

TEST_CASE("a step reads no value on the host: optimizers, limits of gradients and averages") {
  for (const Optimizer& optimizer : optimizer_table) {
    TrainOptions train = short_training(LossKind::mse);
    train.optimizer = optimizer.kind;
    train.momentum = 0.9;
    train.weight_decay = 0.1;
    CHECK_NOTHROW(step_on_meta(deep_model(), train, numbers));
    train.average = Average::ema;
    train.clip_norm = 1;
    train.l1 = 0.1;
    CHECK_NOTHROW(step_on_meta(deep_model(), train, numbers));
    train.clip_norm = 0;
    train.clip_value = 1;
    CHECK_NOTHROW(step_on_meta(deep_model(), train, numbers));
  }
}

TEST_CASE("a step reads no value on the host: encodings and empty cells") {
  for (const Embedding embedding : {Embedding::none, Embedding::piecewise})
    for (const CategoryEncoding categories : {CategoryEncoding::one_hot, CategoryEncoding::embedding}) {
      ModelOptions model = deep_model();
      model.embedding = embedding;
      model.categories = categories;
      CHECK_NOTHROW(step_on_meta(model, short_training(LossKind::mse), table));
    }
}

TEST_CASE("the meta device finds a value that is read on the host") {
  const torch::Tensor sums = step_on_meta(deep_model(), short_training(LossKind::mse), numbers);
  CHECK_THROWS(sums[0].item<double>());
  CHECK_THROWS(sums.to(torch::kCPU));
}
