// SPDX-License-Identifier: MIT
#include "engines/libtorch/torchscript_file.hpp"

#include <torch/script.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/error.hpp"
#include "core/random/random_fill.hpp"
#include "engines/libtorch/layer_network.hpp"
#include "engines/native/forward.hpp"
#include "models/initial_weights.hpp"
#include "models/saved_model_record.hpp"
#include "models/torchscript_archive.hpp"
#include "models/torchscript_module.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

SavedModel cnn() {
  SavedModel trained;
  trained.description.model.kind = ModelKind::cnn;
  trained.description.model.channels = {3, 4};
  trained.description.model.hidden = {7};
  trained.description.model.activation = Activation::gelu;
  trained.description.task = Task::classification;
  trained.description.loss = LossKind::bce;
  trained.description.shape = {0, 2 * 6 * 5, 4, {2, 6, 5}};
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network.parameters = initial_weights(layers, Initialization::he, 3);
  for (std::int64_t feature = 0; feature < 60; ++feature) {
    trained.scaling.shift.push_back(static_cast<float>(feature) / 7);
    trained.scaling.scale.push_back(1 + static_cast<float>(feature) / 9);
  }
  return trained;
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<float> draw(std::int64_t count, std::uint64_t index) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_normal({3, Purpose::synthetic_features, index, 0}, values.data(), count);
  return values;
}

// A model with drawn weights and running statistics.
SavedModel model_of(const ModelOptions& model, const DataShape& shape) {
  SavedModel trained;
  trained.description.model = model;
  trained.description.shape = shape;
  const auto layers = network_layout(model, shape);
  trained.network.parameters = draw(parameter_count(layers), 1);
  for (const float value : draw(buffer_count(layers), 2)) trained.network.buffers.push_back(std::abs(value) + 0.5f);
  return trained;
}

DataColumn column_with_offset(double offset) {
  DataColumn column;
  column.name = "column";
  column.offset = offset;
  return column;
}

// Models of all activations, norms and steps.
std::vector<SavedModel> models() {
  std::vector<SavedModel> all;
  ModelOptions linear;
  linear.kind = ModelKind::linear;
  all.push_back(model_of(linear, {0, 1, 1, {}}));
  all.push_back(model_of(linear, {0, 300, 3, {}}));
  linear.bias = false;
  all.push_back(model_of(linear, {0, 5, 2, {}}));
  ModelOptions mlp;
  mlp.kind = ModelKind::mlp;
  mlp.hidden = {9, 4};
  for (const ActivationRow& row : activation_table) {
    mlp.activation = row.kind;
    all.push_back(model_of(mlp, {0, 5, 3, {}}));
  }
  for (const Norm norm : {Norm::batch, Norm::layer})
    for (const double dropout : {0.0, 0.3}) {
      mlp.norm = norm;
      mlp.dropout = dropout;
      all.push_back(model_of(mlp, {0, 5, 3, {}}));
    }
  const std::size_t plain = all.size();
  for (std::size_t number = 0; number < 5; ++number) {
    SavedModel trained = all[plain - 1 - number % 2];
    trained.scaling = {draw(5, 3), draw(5, 4), {}};
    if (number > 0) trained.scaling.clip = draw(5, 5);
    if (number > 1) trained.scaling.fill = {1, 2, NAN, 4, 5};
    if (number > 2) trained.description.data.columns = std::vector<DataColumn>(5, column_with_offset(1e9));
    if (number > 3) trained.description.data.target_offsets = {1e9, -1e9, 0.5};
    all.push_back(trained);
  }
  mlp.embedding = Embedding::piecewise;
  linear.embedding = Embedding::piecewise;
  ModelOptions looked_up = mlp, one_hot = mlp;
  one_hot.categories = CategoryEncoding::one_hot;
  looked_up.embedding = one_hot.embedding = Embedding::none;
  const std::vector<FeatureKind> some{{0, true}, {3, true}, {}, {}, {12, false}},
      most{{9, false}, {10, true}, {2, false}, {}, {}};
  for (const auto& [model, kinds] : {std::pair<ModelOptions, std::vector<FeatureKind>>{mlp, {}},
                                     {mlp, some},
                                     {linear, {}},
                                     {linear, most},
                                     {looked_up, some},
                                     {looked_up, most},
                                     {one_hot, some}}) {
    SavedModel trained = model_of(model, {0, 5, 3, {}, kinds});
    trained.scaling = {draw(5, 3), draw(5, 4), draw(5, 5), {1, 2, NAN, 4, 5}};
    for (const std::int64_t feature : category_features(kinds)) {
      const auto index = static_cast<std::size_t>(feature);
      trained.scaling.shift[index] = trained.scaling.clip[index] = 0;
      trained.scaling.scale[index] = 1;
    }
    trained.scaling = scaling_for(network_layout(model, trained.description.shape), std::move(trained.scaling));
    if (embeds_numbers(model))
      trained.scaling.edges = feature_edges(draw(5 * 30, 6), 5, category_features(kinds), trained.scaling);
    all.push_back(trained);
  }
  SavedModel counts = all[1];
  counts.description.loss = LossKind::poisson;
  for (float& parameter : counts.network.parameters) parameter /= 100;
  all.push_back(counts);
  SavedModel quantiles = all[1];
  quantiles.description.loss = LossKind::quantile;
  quantiles.description.quantiles = {0.1, 0.5, 0.9};
  quantiles.description.data.target_offsets = {1e6};
  all.push_back(quantiles);
  all.push_back(cnn());
  all.back().description.model.norm = Norm::batch;
  all.back() = model_of(all.back().description.model, all.back().description.shape);
  ModelOptions resnet;
  resnet.kind = ModelKind::resnet18;
  all.push_back(model_of(resnet, {0, 3 * 9 * 8, 5, {3, 9, 8}}));
  return all;
}

torch::jit::Module made_by_libtorch(const TorchscriptModule& parts) {
  torch::jit::Module module("SheafModel");
  module.register_attribute("training", c10::BoolType::get(), false);
  for (const ModuleTensor& tensor : parts.tensors) {
    const auto type = tensor.type == ModuleTensor::Type::float64 ? torch::kFloat64
                      : tensor.type == ModuleTensor::Type::int64 ? torch::kInt64
                                                                 : torch::kFloat32;
    const torch::Tensor values = torch::from_blob(const_cast<char*>(tensor.bytes.data()), tensor.sizes, type).clone();
    if (tensor.role == ModuleTensor::Role::parameter)
      module.register_parameter(tensor.name, values.requires_grad_(), false);
    else
      module.register_buffer(tensor.name, values);
  }
  for (const std::string& function : parts.functions) module.define(function);
  return module;
}

torch::jit::Module loaded_archive(const SavedModel& trained) {
  std::istringstream archive(torchscript_archive(trained));
  return torch::jit::load(archive);
}

// The names, types, sizes and values of tensors.
template <class List>
std::vector<std::string> tensors_of(const List& list) {
  std::vector<std::string> all;
  for (const auto& named : list) {
    std::ostringstream text;
    text << named.name << named.value.sizes() << named.value.dtype();
    const torch::Tensor values = named.value.detach().contiguous();
    text.write(static_cast<const char*>(values.data_ptr()), static_cast<std::streamsize>(values.nbytes()));
    all.push_back(text.str());
  }
  return all;
}

// Rows with codes of categories and, if numbers `may_be_empty`, empty cells.
torch::Tensor as_rows(const torch::Tensor& numbers, const DataShape& shape, bool may_be_empty) {
  torch::Tensor rows = numbers.to(torch::kFloat32).clone();
  for (std::size_t feature = 0; feature < shape.kinds.size(); ++feature) {
    const auto index = static_cast<std::int64_t>(feature);
    torch::Tensor column = rows.select(1, index);
    if (const std::int64_t categories = shape.kinds[feature].categories; categories > 0)
      column.copy_((column * 100).floor().remainder(categories + (may_be_empty ? 1 : 0)) - (may_be_empty ? 1 : 0));
    else if (may_be_empty && shape.kinds[feature].has_empty_cells)
      column.slice(0, 0, c10::nullopt, 3).fill_(std::numeric_limits<float>::quiet_NaN());
  }
  return rows.contiguous();
}

// The outputs of a call of the module, with the same random numbers at each.
torch::Tensor output(torch::jit::Module& module, const torch::Tensor& rows) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(5);
  return module.forward({rows}).toTensor();
}

bool same_bits(const torch::Tensor& one, const torch::Tensor& other) {
  return one.dtype() == other.dtype() && one.sizes() == other.sizes() &&
         std::memcmp(one.contiguous().data_ptr(), other.contiguous().data_ptr(), one.nbytes()) == 0;
}

}  // namespace

TEST_CASE("the module in a model file gives the network's outputs, and the file has the model's description") {
  const SavedModel trained = cnn();
  const ModelDescription& description = trained.description;
  write("model.pt", torchscript_archive(trained));
  const auto result = read_saved_model_record("model.pt");
  REQUIRE(result);
  CHECK(result->description.model.kind == ModelKind::cnn);
  CHECK(result->scaling.scale == trained.scaling.scale);

  const torch::NoGradGuard no_grad;
  const auto layers = network_layout(description.model, description.shape);
  LayerNetwork network(description.model, layers, trained.network.parameters, torch::kCPU, Precision::float32);
  const torch::Tensor features = torch::arange(3 * 60, torch::kFloat32).remainder(11).view({3, 2, 6, 5});
  const auto vector = [](const std::vector<float>& values) { return torch::tensor(values); };
  const torch::Tensor scaled = (features.flatten(1) - vector(trained.scaling.shift)) * vector(trained.scaling.scale);
  const torch::Tensor found = load_module("model.pt")->forward({features.to(torch::kUInt8)}).toTensor();
  CHECK(torch::allclose(found, network.forward(scaled), 1e-5, 1e-5));
  CHECK(torch::allclose(load_module("model.pt")->forward({features.flatten(1)}).toTensor(), found));
  CHECK_THROWS_WITH(load_module("model.pt")->forward({features.permute({0, 2, 3, 1})}),
                    ContainsSubstring("features must have the shape [rows, 2, 6, 5] (channels first)"));
}

TEST_CASE("the module of a file is the module that LibTorch makes of its tensors and functions") {
  for (const SavedModel& trained : models()) {
    INFO(torchscript_module(trained).functions.front());
    const TorchscriptModule parts = torchscript_module(trained);
    torch::jit::Module made = made_by_libtorch(parts), loaded = loaded_archive(trained);
    const std::int64_t features = trained.description.shape.features;
    const auto compare = [&] {
      CHECK(tensors_of(made.named_parameters()) == tensors_of(loaded.named_parameters()));
      CHECK(tensors_of(made.named_buffers()) == tensors_of(loaded.named_buffers()));
      for (const auto type : {torch::kFloat32, torch::kFloat64, torch::kUInt8}) {
        const torch::Tensor plain = torch::arange(8 * features).remainder(7).view({8, features}) * 1.25;
        const torch::Tensor rows = as_rows(plain, trained.description.shape, type != torch::kUInt8).to(type);
        CHECK(same_bits(output(made, rows), output(loaded, rows)));
      }
    };
    CHECK_FALSE(loaded.is_training());
    for (const torch::Tensor& parameter : loaded.parameters()) CHECK(parameter.requires_grad());
    compare();
    made.train();
    loaded.train();
    compare();
    made.to(torch::kFloat64);
    loaded.to(torch::kFloat64);
    compare();
    std::stringstream again;
    loaded.save(again);
    loaded = torch::jit::load(again);
    compare();
  }
}

TEST_CASE("the module of a file gives the predictions of the native engine") {
  for (const SavedModel& trained : models()) {
    const ModelDescription& description = trained.description;
    const auto layers = network_layout(description.model, description.shape);
    if (!works_on_rows(layers)) continue;
    INFO(torchscript_module(trained).functions.front());
    constexpr std::int64_t rows = 50;
    const std::int64_t features = description.shape.features, outputs = description.shape.outputs;
    std::vector<float> found(static_cast<std::size_t>(rows * outputs));
    const torch::Tensor plain =
        as_rows(torch::tensor(draw(rows * features, 9)).view({rows, features}), description.shape, true);
    NativeForward forward(layers, description.model.activation, trained.network, trained.scaling);
    REQUIRE(forward(plain.data_ptr<float>(), rows, found.data()));
    torch::Tensor expected = torch::tensor(found).view({rows, outputs}).to(torch::kFloat64);
    if (loss_of(description.loss.kind).link == Link::exponential) expected = expected.exp();
    const auto& target_offsets = description.data.target_offsets;
    if (!target_offsets.empty()) expected = expected + torch::tensor(target_offsets, torch::kFloat64);
    torch::Tensor inputs = plain;
    if (!description.data.columns.empty()) inputs = plain.to(torch::kFloat64) + description.data.columns[0].offset;
    torch::jit::Module module = loaded_archive(trained);
    CHECK(torch::allclose(output(module, inputs).to(torch::kFloat64), expected, 1e-4, 1e-4));
  }
}

TEST_CASE("the file of a residual network has its running statistics") {
  SavedModel trained;
  trained.description.model.kind = ModelKind::resnet18;
  trained.description.shape = {0, 3 * 9 * 8, 5, {3, 9, 8}};
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network.parameters = initial_weights(layers, Initialization::he, 3);
  LayerNetwork network(trained.description.model, layers, trained.network.parameters, torch::kCPU, Precision::float32);
  const torch::NoGradGuard no_grad;
  const torch::Tensor features = torch::arange(4 * 216, torch::kFloat32).remainder(13).view({4, 216});
  network.forward(features, TrainingStep{1, 0});
  for (const torch::Tensor& buffer : network.buffers())
    for (std::int64_t index = 0; index < buffer.numel(); ++index)
      trained.network.buffers.push_back(buffer[index].item<double>());
  write("resnet.pt", torchscript_archive(trained));
  const torch::Tensor found = load_module("resnet.pt")->forward({features.view({4, 3, 9, 8})}).toTensor();
  CHECK(torch::allclose(found, network.forward(features), 1e-5, 1e-5));
}

TEST_CASE("the file of a TorchScript model has the module with its trained parameters") {
  torch::jit::Module module("Other");
  module.register_parameter("weight", torch::zeros({2, 3}, torch::kFloat64).requires_grad_(), false);
  module.register_buffer("count", torch::zeros({}, torch::kInt64));
  module.define("def forward(self, features):\n  return torch.linear(features, self.weight) + self.count\n");
  module.save("learning.pt");
  SavedModel trained;
  trained.description.model.kind = ModelKind::torchscript;
  trained.description.model.file = "learning.pt";
  trained.description.model.keep_weights = true;
  trained.description.shape = {0, 3, 2, {}};
  trained.network = {{1, 2, 3, 4, 5, 6}, {7}};
  trained.scaling = {{1, 1, 1}, {2, 2, 2}, {}};
  write("learned.pt", script_model_file_bytes(trained));
  CHECK(read_saved_model_record("learned.pt").value().description.model.kind == ModelKind::torchscript);
  const torch::Tensor found = load_module("learned.pt")->forward({torch::ones({1, 3}) * 2}).toTensor();
  CHECK(torch::equal(found, torch::tensor({19.0f, 37.0f}).view({1, 2})));
}

TEST_CASE("a module of another program has no description, and a file that is not a module is refused") {
  torch::jit::Module module("Other");
  module.define("def forward(self, features):\n  return features\n");
  module.save("other.pt");
  CHECK_FALSE(read_saved_model_record("other.pt"));

  write("text.pt", "no module");
  const std::string whole = torchscript_archive(cnn());
  write("cut.pt", whole.substr(0, whole.size() - 100));
  CHECK_FALSE(read_saved_model_record("cut.pt"));
  CHECK_THROWS_WITH(load_module("text.pt"), ContainsSubstring("'text.pt' is not a complete TorchScript file"));
  CHECK_THROWS_WITH(load_module("cut.pt"), ContainsSubstring("'cut.pt' is not a complete TorchScript file"));

  module.save("newer.pt", {{saved_model_record_name, "of another time"}});
  CHECK_THROWS_WITH(read_saved_model_record("newer.pt"), ContainsSubstring("from another version of sheaf"));
}
