// SPDX-License-Identifier: MIT
#include "engines/libtorch/torchscript_file.hpp"

#include <torch/script.h>

#include <fstream>

#include "core/error.hpp"
#include "engines/libtorch/layer_network.hpp"
#include "models/initial_weights.hpp"
#include "models/saved_model_record.hpp"
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

}  // namespace

TEST_CASE("the module in a model file gives the network's outputs, and the file has the model's description") {
  const SavedModel trained = cnn();
  const ModelDescription& description = trained.description;
  write("model.pt", torchscript_file_bytes(trained));
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
  write("resnet.pt", torchscript_file_bytes(trained));
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
  write("learned.pt", torchscript_file_bytes(trained));
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
  const std::string whole = torchscript_file_bytes(cnn());
  write("cut.pt", whole.substr(0, whole.size() - 100));
  CHECK_FALSE(read_saved_model_record("cut.pt"));
  CHECK_THROWS_WITH(load_module("text.pt"), ContainsSubstring("'text.pt' is not a complete TorchScript file"));
  CHECK_THROWS_WITH(load_module("cut.pt"), ContainsSubstring("'cut.pt' is not a complete TorchScript file"));

  module.save("newer.pt", {{saved_model_record_name, "of another time"}});
  CHECK_THROWS_WITH(read_saved_model_record("newer.pt"), ContainsSubstring("from another version of sheaf"));
}
