// SPDX-License-Identifier: MIT
#include "engines/libtorch/module_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "engines/libtorch/network_maker.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "models/predictions.hpp"

namespace sheaf {
namespace {

std::string rows_text(std::int64_t rows, const DataShape& shape) {
  const ImageShape& image = shape.image;
  return image.channels == 0 ? fmt::format("[{}, {}]", rows, shape.features)
                             : fmt::format("[{}, {}, {}, {}]", rows, image.channels, image.height, image.width);
}

void require_outputs(const torch::Tensor& outputs, std::int64_t rows, const ModelOptions& model,
                     const DataShape& shape) {
  require(
      outputs.dim() == 2 && outputs.size(0) == rows && outputs.size(1) == shape.outputs,
      fmt::format("the model '{}' does not fit the task (it returns [{}] for {}, not [{}, {}]). Give it {} outputs.",
                  model.file, fmt::join(outputs.sizes(), ", "), rows_text(rows, shape), rows, shape.outputs,
                  shape.outputs));
}

ModuleFacts check_module(NetworkMaker& maker, const Trial& trial, const DataShape& shape) {
  const ModelOptions& model = trial.model;
  constexpr std::int64_t rows = 2;
  const torch::NoGradGuard no_grad;
  const auto network = maker.make({model, {}, {}, shape, 0, {}}, torch::kCPU, trial.train.precision);
  torch::Tensor outputs;
  try {
    outputs = network->forward(torch::zeros({rows, shape.features}, dtype_of(trial.train.precision)));
  } catch (const std::exception& error) {
    throw RunError(
        fmt::format("the model '{}' does not accept {} rows of the data, {} ({}). Use a model that fits the data.",
                    model.file, rows, rows_text(rows, shape), torch_messages(error)));
  }
  require_outputs(outputs, rows, model, shape);
  const torch::Tensor values = outputs.to(torch::kFloat32).contiguous();
  return {network->parameters().numel(),
          are_probabilities(LossKind::cross_entropy, shape.outputs, values.data_ptr<float>(), rows)};
}

}  // namespace

std::vector<ModuleFacts> check_modules(const std::vector<Trial>& trials, const DataShape& shape) {
  NetworkMaker maker;
  std::vector<ModuleFacts> facts;
  for (const auto& trial : trials) facts.push_back(check_module(maker, trial, shape));
  return facts;
}

}  // namespace sheaf
