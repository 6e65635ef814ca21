// SPDX-License-Identifier: MIT
#include "engines/libtorch/script_model.hpp"

#include <vector>

#include "core/error.hpp"
#include "files/regular_file.hpp"
#include "models/initial_weights.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;
using torch::jit::Module;

namespace {

// A module with the type and attributes that torch.jit saves for a module of torch.nn.
Module layer_of(const std::string& type, const torch::Tensor& weight, const torch::Tensor& bias = {}) {
  Module layer("__torch__.torch.nn.modules." + type);
  layer.register_attribute("training", c10::BoolType::get(), true);
  layer.register_parameter("weight", weight, false);
  if (bias.defined()) layer.register_parameter("bias", bias, false);
  return layer;
}

Module net_of(const std::vector<Module>& layers, const std::string& forward) {
  Module net("__torch__.Net");
  net.register_attribute("training", c10::BoolType::get(), true);
  for (std::size_t index = 0; index < layers.size(); ++index)
    net.register_module("layer" + std::to_string(index), layers[index]);
  net.define("def forward(self, rows):\n    return " + forward + "\n");
  return net;
}

torch::Tensor trained(const torch::Tensor& values) {
  return values.clone().set_requires_grad(true);
}

// Saves to a new file each time, since the program reads each file only once.
std::string saved(const Module& module) {
  static int count = 0;
  const std::string file = "net" + std::to_string(count++) + ".pt";
  module.save(file);
  return file;
}

std::unique_ptr<Network> network_of(const Module& module, std::uint64_t seed, bool keep = false) {
  const std::string file = saved(module);
  ModelOptions model = test::plain_model();
  model.keep_weights = keep;
  return ScriptModel(file).make(model, {}, seed, torch::kCPU, Precision::float32);
}

std::vector<float> values_of(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().flatten().contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

Module small_net() {
  return net_of({layer_of("linear.Linear", trained(torch::ones({2, 3})), trained(torch::zeros({2})))},
                "rows @ self.layer0.weight.t() + self.layer0.bias");
}

}  // namespace

TEST_CASE("layers of a module get the same initial weights as built-in layers, or keep the file's weights") {
  const auto network = network_of(small_net(), 4);
  CHECK(values_of(network->parameters()) ==
        initial_weights({Layer{Layer::Kind::dense, 3, 2, 1, 1, 1}}, Initialization::pytorch, 4));
  CHECK(values_of(network->parameters()) != values_of(network_of(small_net(), 5)->parameters()));
  CHECK(values_of(network_of(small_net(), 4, true)->parameters()) == std::vector<float>{1, 1, 1, 1, 1, 1, 0, 0});
}

TEST_CASE("initial weights are drawn in the training precision, for any precision of the file") {
  const torch::Tensor weight = torch::ones({2, 3}), bias = torch::zeros({2});
  const auto net = [&](torch::ScalarType type) {
    return net_of({layer_of("linear.Linear", trained(weight.to(type)), trained(bias.to(type)))},
                  "rows @ self.layer0.weight.t() + self.layer0.bias");
  };
  const auto drawn = values_of(network_of(net(torch::kFloat32), 4)->parameters());
  for (const auto type : {torch::kBFloat16, torch::kFloat16, torch::kFloat64})
    CHECK(values_of(network_of(net(type), 4)->parameters()) == drawn);
}

TEST_CASE("networks made from the same module have separate parameters") {
  const ScriptModel script(saved(small_net()));
  ModelOptions model = test::plain_model();
  model.keep_weights = true;
  const auto first = script.make(model, {}, 1, torch::kCPU, Precision::float64);
  const auto second = script.make(model, {}, 1, torch::kCPU, Precision::float64);
  torch::Tensor parameters = first->parameters();
  parameters.mul_(2);
  const auto rows = torch::ones({1, 3}, torch::kFloat64);
  CHECK(first->forward(rows)[0][1].item<double>() == 6);
  CHECK(second->forward(rows)[0][1].item<double>() == 3);
  first->forward(rows, TrainingStep{}).sum().backward();
  CHECK(parameters.grad().sum().item<double>() == 6 + 2);
  CHECK(second->parameters().grad().sum().item<double>() == 0);
}

TEST_CASE("frozen parameters keep their values, and shared parameters are trained once") {
  const auto frozen = network_of(net_of({layer_of("linear.Linear", torch::full({1, 1}, 7.0f)),
                                         layer_of("linear.Linear", trained(torch::ones({1, 1})))},
                                        "rows @ self.layer0.weight @ self.layer1.weight"),
                                 3);
  REQUIRE(frozen->parameters().numel() == 1);
  CHECK(frozen->forward(torch::ones({1, 1})).item<float>() == Approx(7 * frozen->parameters().item<float>()));

  const torch::Tensor tied = trained(torch::ones({1, 1}));
  const auto shared = network_of(net_of({layer_of("linear.Linear", tied), layer_of("linear.Linear", tied)},
                                        "rows @ self.layer0.weight @ self.layer1.weight"),
                                 3);
  REQUIRE(shared->parameters().numel() == 1);
  const float weight = shared->parameters().item<float>();
  CHECK(shared->forward(torch::ones({1, 1})).item<float>() == Approx(weight * weight));
}

TEST_CASE("a norm layer and its running statistics are reset unless it is frozen or the weights are kept") {
  const auto net = [](bool frozen) {
    const torch::Tensor weight = torch::full({2}, 3.0f);
    Module norm = layer_of("batchnorm.BatchNorm1d", frozen ? weight : trained(weight));
    norm.register_buffer("running_mean", torch::full({2}, 5.0f));
    norm.register_buffer("running_var", torch::full({2}, 6.0f));
    return net_of({norm, layer_of("linear.Linear", trained(torch::ones({1, 1})))}, "rows * self.layer0.weight");
  };
  const auto drawn = network_of(net(false), 1);
  REQUIRE(drawn->buffers().size() == 2);
  CHECK(values_of(drawn->buffers()[0]) == std::vector<float>{0, 0});
  CHECK(values_of(drawn->buffers()[1]) == std::vector<float>{1, 1});
  CHECK(drawn->parameters()[0].item<float>() == 1);
  for (const auto& kept : {network_of(net(true), 1), network_of(net(false), 1, true)}) {
    CHECK(values_of(kept->buffers()[0]) == std::vector<float>{5, 5});
    CHECK(values_of(kept->buffers()[1]) == std::vector<float>{6, 6});
  }
}

TEST_CASE("the padding row of an embedding stays zero") {
  Module embedding = layer_of("sparse.Embedding", trained(torch::ones({3, 2})));
  embedding.type()->addConstant("padding_idx", 1);
  const auto network = network_of(net_of({embedding}, "rows @ self.layer0.weight"), 1);
  const auto values = values_of(network->parameters());
  CHECK(values[2] == 0);
  CHECK(values[3] == 0);
  CHECK(values[0] * values[5] != 0);
}

TEST_CASE("layers of unsupported types are refused unless the weights are kept") {
  const auto net = net_of({layer_of("activation.PReLU", trained(torch::ones({1})))}, "rows * self.layer0.weight");
  CHECK_THROWS_AS(network_of(net, 1), UsageError);
  CHECK(network_of(net, 1, true)->parameters().numel() == 1);
  Module own("__torch__.Linear");  // not torch.nn's Linear, only the same name
  own.register_attribute("training", c10::BoolType::get(), true);
  own.register_parameter("weight", trained(torch::ones({1, 1})), false);
  CHECK_THROWS_AS(network_of(net_of({own}, "rows * self.layer0.weight"), 1), UsageError);
}

TEST_CASE("a module without forward() is refused") {
  Module net("__torch__.Net");
  net.register_attribute("training", c10::BoolType::get(), true);
  net.define("def predict(self, rows):\n    return rows\n");
  const std::string file = saved(net);
  CHECK_THROWS_WITH(ScriptModel(file),
                    "the TorchScript module '" + file + "' has no forward(). Save one with a forward method.");
}

TEST_CASE("dropout of a module has the masks of the step") {
  const auto in_place = GENERATE(false, true);
  const std::string forward = in_place ? "torch.dropout_(torch.dropout_(rows + self.layer0.weight, 0.5, self.training) "
                                         "+ 0, 0.25, self.training)"
                                       : "torch.dropout(torch.dropout(rows + self.layer0.weight, 0.5, self.training), "
                                         "0.25, self.training)";
  const auto network = network_of(net_of({layer_of("linear.Linear", trained(torch::zeros({1, 8})))}, forward), 1, true);
  const torch::Tensor rows = torch::ones({4, 8});
  const TrainingStep step{7, 3};
  torch::Tensor first = torch::empty({4, 8}), second = torch::empty({4, 8});
  draw_dropout_mask(step, 0, 0.5, 0, first.data_ptr<float>(), 32);
  draw_dropout_mask(step, 1, 0.25, 0, second.data_ptr<float>(), 32);
  const torch::Tensor outputs = network->forward(rows, step);
  CHECK(values_of(outputs) == values_of(first * 2 * second * (1 / 0.75)));
  outputs.sum().backward();
  CHECK(values_of(network->parameters().grad()) == values_of(outputs.sum(0)));
  CHECK(values_of(network->forward(rows)) == std::vector<float>(32, 1));
  CHECK(values_of(network->forward(rows, step)) == values_of(outputs));
}

TEST_CASE("feature dropout drops whole channels of a row") {
  const auto network = network_of(net_of({layer_of("linear.Linear", trained(torch::zeros({1})))},
                                         "torch.feature_dropout((rows + self.layer0.weight).view(-1, 2, 3, 2), 0.5, "
                                         "self.training).flatten(1)"),
                                  1, true);
  const TrainingStep step{7, 3};
  torch::Tensor mask = torch::empty({5, 2, 1, 1});
  draw_dropout_mask(step, 0, 0.5, 0, mask.data_ptr<float>(), 10);
  CHECK(values_of(network->forward(torch::ones({5, 12}), step)) == values_of((mask * 2).expand({5, 2, 3, 2})));
}

TEST_CASE("a trained module has the dropout of its file") {
  const std::string file = saved(net_of({layer_of("linear.Linear", trained(torch::ones({1, 8})))},
                                        "torch.dropout(rows * self.layer0.weight, 0.5, self.training)"));
  Module module = ScriptModel(file).trained({std::vector<float>(8, 3), {}});
  CHECK(values_of(module.forward({torch::ones({1, 8})}).toTensor()) == std::vector<float>(8, 3));
  module.train();
  const std::string again = saved(module);
  Module loaded = torch::jit::load(again);
  loaded.train();
  for (const float value : values_of(loaded.forward({torch::ones({1, 8})}).toTensor()))
    CHECK((value == 0 || value == 6));
}

TEST_CASE("a module that draws random numbers in training is refused; dropout that it switches off is accepted") {
  const auto with = [](const std::string& forward) {
    ScriptModel script(saved(net_of({layer_of("linear.Linear", trained(torch::ones({1, 1})))}, forward)));
  };
  CHECK_NOTHROW(with("torch.dropout(rows, 0.5, self.training)"));
  CHECK_THROWS_AS(with("torch.alpha_dropout(rows, 0.5, self.training)"), RunError);
  CHECK_THROWS_AS(with("torch.dropout(rows, 0.5, True)"), RunError);
  CHECK_THROWS_AS(with("torch.feature_dropout(rows, 0.5, True)"), RunError);
  CHECK_THROWS_AS(with("rows + torch.rand_like(rows)"), RunError);
  CHECK_THROWS_AS(with("rows.clone().normal_()"), RunError);
  CHECK_NOTHROW(with("torch.dropout(rows, 0.5, False)"));
}

TEST_CASE("replacing a model file during a run has no effect on the run") {
  const std::string file = saved(small_net());
  ModelOptions model = test::plain_model();
  model.keep_weights = true;
  const auto values = [&] {
    return values_of(ScriptModel(file).make(model, {}, 1, torch::kCPU, Precision::float32)->parameters());
  };
  const auto before = values();
  const std::string content = RegularFile(file).read_all();
  net_of({layer_of("linear.Linear", trained(torch::zeros({5, 5})))}, "rows @ self.layer0.weight.t()").save(file);
  CHECK(values() == before);
  CHECK((first_content(file) == content));  // the run stores the fingerprint of this content
}
