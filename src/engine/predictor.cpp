// SPDX-License-Identifier: MIT
#include "engine/predictor.hpp"

#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "engine/engine_choice.hpp"
#include "engine/resident/flush_denormals.hpp"
#include "engine/resident/forward.hpp"
#include "engine/torch_device.hpp"
#include "engine/torch_trainer.hpp"
#include "model/torch_words.hpp"

namespace sheaf {
namespace {

std::vector<std::int64_t> sizes_of(std::int64_t count, const std::vector<std::int64_t>& row_shape) {
  std::vector<std::int64_t> sizes{count};
  sizes.insert(sizes.end(), row_shape.begin(), row_shape.end());
  return sizes;
}

// Outputs on the CPU, [count, outputs].
torch::Tensor call_module(const LoadedModel& model, torch::jit::Module& module, const torch::Tensor& features) {
  const c10::InferenceMode inference;
  torch::Tensor outputs;
  try {
    const c10::IValue returned = module.forward({features});
    require(returned.isTensor(), "it does not return one tensor");
    outputs = returned.toTensor().to(torch::kCPU, torch::kFloat32).contiguous();
  } catch (const std::exception& error) {
    throw RunError(
        fmt::format("model '{}' fails on features [{}] ({}). Give it data of the shape that it was made for.",
                    model.path, fmt::join(features.sizes(), ", "), torch_words(error)));
  }
  const bool by_rows = outputs.dim() >= 1 && outputs.dim() <= 2 && outputs.size(0) == features.size(0);
  require(
      by_rows && outputs.numel() > 0,
      fmt::format("model '{}' gives outputs [{}] for features [{}] (they are [rows] or [rows, outputs]). Wrap it in "
                  "a module that returns those.",
                  model.path, fmt::join(outputs.sizes(), ", "), fmt::join(features.sizes(), ", ")));
  return outputs.dim() == 1 ? outputs.unsqueeze(1) : outputs;
}

class TorchPredictor : public Predictor {
 public:
  TorchPredictor(const LoadedModel& model, std::vector<std::int64_t> row_shape, std::int64_t output_count,
                 LaneDevice device)
      : model_(model),
        row_shape_(std::move(row_shape)),
        output_count_(output_count),
        device_(torch_device(device.gpu)),
        module_(*model.module) {
    set_lane_threads(device.gpu < 0 ? device.thread_count : 1);
    if (device.gpu < 0) return;
    module_ = model.module->clone();
    module_.to(device_);
  }

  void predict(const float* features, std::int64_t count, float* outputs) override {
    const c10::OptionalDeviceGuard guard(device_);
    const torch::Tensor rows =
        torch::from_blob(const_cast<float*>(features), sizes_of(count, row_shape_), torch::kFloat32).to(device_);
    const torch::Tensor found = call_module(model_, module_, rows);
    require(found.size(1) == output_count_,
            fmt::format("model '{}' gives {} outputs for some rows, and {} for others. Wrap it in a module that gives "
                        "the same number for all.",
                        model_.path, found.size(1), output_count_));
    std::memcpy(outputs, found.data_ptr<float>(), static_cast<std::size_t>(found.numel()) * sizeof(float));
  }

 private:
  const LoadedModel& model_;
  std::vector<std::int64_t> row_shape_;
  std::int64_t output_count_;
  torch::Device device_;
  torch::jit::Module module_;
};

class ResidentPredictor : public Predictor {
 public:
  ResidentPredictor(const TrainedModel& trained, std::int64_t usual_count)
      : forward_(network_layout(trained.description.model, trained.description.shape),
                 trained.description.model.activation, trained.network.parameters, trained.scaling, usual_count) {}

  void predict(const float* features, std::int64_t count, float* outputs) override {
    const FlushDenormals flush;
    forward_(features, count, outputs);
  }

 private:
  ResidentForward forward_;
};

// Images of the file are the model's; flat rows may be.
void require_image(const LoadedModel& model, const std::vector<std::int64_t>& row_shape) {
  const ImageShape& image = model.trained->description.shape.image;
  const std::vector<std::int64_t> sides{image.channels, image.height, image.width};
  require(image.channels == 0 || row_shape.size() != sides.size() || row_shape == sides,
          fmt::format("model '{}' takes images of {} (the data hold {}). Give it the data that it was made for, or say "
                      "how they lie by --data.image and --data.channels.",
                      model.path, fmt::join(sides, "x"), fmt::join(row_shape, "x")));
}

}  // namespace

std::string torch_predictor_reason(const LoadedModel& model, const RunOptions& run, bool on_gpu) {
  if (!model.trained) return run.engine == EngineKind::torch ? "run.engine = torch" : "it is not of sheaf's own making";
  return torch_reason({{}, model.trained->description.model, {}}, run, on_gpu);
}

std::int64_t find_output_count(const LoadedModel& model, const std::vector<std::int64_t>& row_shape) {
  if (!model.trained) return call_module(model, *model.module, torch::zeros(sizes_of(1, row_shape))).size(1);
  const auto features = std::accumulate(row_shape.begin(), row_shape.end(), std::int64_t{1}, std::multiplies<>());
  const DataShape& shape = model.trained->description.shape;
  require_image(model, row_shape);
  require(features == shape.features,
          fmt::format("model '{}' takes {} features a row (the data have {}). Give it the data that it was made for.",
                      model.path, shape.features, features));
  return shape.outputs;
}

std::unique_ptr<Predictor> make_predictor(const LoadedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, std::int64_t usual_count, const RunOptions& run,
                                          LaneDevice device) {
  if (torch_predictor_reason(model, run, device.gpu >= 0).empty())
    return std::make_unique<ResidentPredictor>(*model.trained, usual_count);
  try {
    return std::make_unique<TorchPredictor>(model, row_shape, output_count, device);
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("model '{}' cannot be used on {} ({}). Choose another device with run.device.",
                               model.path, device.gpu < 0 ? "the CPU" : "the GPU", torch_words(error)));
  }
}

void make_predictions(LossKind loss, std::int64_t output_count, float* outputs, std::int64_t count) {
  float* const end = outputs + count * output_count;
  if (loss == LossKind::mse) return;
  if (loss == LossKind::bce) {
    for (; outputs != end; ++outputs) *outputs = static_cast<float>(1 / (1 + std::exp(-double{*outputs})));
    return;
  }
  for (float* row = outputs; row != end; row += output_count) {
    const double largest = double{*std::max_element(row, row + output_count)};
    double sum = 0;
    for (float* output = row; output != row + output_count; ++output) sum += std::exp(double{*output} - largest);
    for (float* output = row; output != row + output_count; ++output)
      *output = static_cast<float>(std::exp(double{*output} - largest) / sum);
  }
}

}  // namespace sheaf
