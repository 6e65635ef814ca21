// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_predictor.hpp"

#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/script.h>

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include "core/error.hpp"
#include "core/finite.hpp"
#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/plugin_model.hpp"
#include "engines/libtorch/torch_device.hpp"
#include "engines/libtorch/torch_messages.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "models/torchscript_source.hpp"

namespace sheaf {
namespace {

std::vector<std::int64_t> sizes_of(std::int64_t count, const std::vector<std::int64_t>& row_shape) {
  std::vector<std::int64_t> sizes{count};
  sizes.insert(sizes.end(), row_shape.begin(), row_shape.end());
  return sizes;
}

// The outputs of a model for features [count, ...], with offsets of targets only if the module has no record.
using Forward = std::function<torch::Tensor(const torch::Tensor& features)>;

Forward forward_of(torch::jit::Module module, bool has_record) {
  return [module = std::move(module), has_record](const torch::Tensor& features) mutable {
    c10::optional<torch::jit::Method> relative;
    if (has_record) relative = module.find_method(relative_forward_name);
    const c10::IValue returned = relative ? (*relative)({features}) : module.forward({features});
    require(returned.isTensor(), "it does not return one tensor");
    return returned.toTensor();
  };
}

// Features are scaled as in the training. `model` outlives the result.
Forward forward_of_plugin(const OpenedModel& model, torch::Device device) {
  const auto& [description, network, scaling] = *model.trained;
  std::shared_ptr<Network> made =
      PluginModel(description.model.file).restored(description.shape, model.plugin_tensors, device);
  return [made, tensors = ScalingTensors(scaling, !scaling.fill.empty(), device)](const torch::Tensor& features) {
    return made->forward(tensors.scaled(features.flatten(1)));
  };
}

// Returns outputs [count, outputs] without offsets, on the CPU.
torch::Tensor call_model(const OpenedModel& model, const Forward& forward, const torch::Tensor& features) {
  const c10::InferenceMode inference;
  torch::Tensor outputs;
  try {
    outputs = forward(features).to(torch::kCPU, model.output_offsets.empty() ? torch::kFloat32 : torch::kFloat64);
  } catch (const std::exception& error) {
    throw RunError(fmt::format("model '{}' fails on features [{}] ({}). Use data of the shape that the model expects.",
                               model.path, fmt::join(features.sizes(), ", "), torch_messages(error)));
  }
  const bool by_rows = outputs.dim() >= 1 && outputs.dim() <= 2 && outputs.size(0) == features.size(0);
  require(by_rows && outputs.numel() > 0, [&] {
    return fmt::format(
        "model '{}' returns outputs [{}] for features [{}] (expected: [rows] or [rows, outputs]). Wrap it in "
        "a module that returns one of these shapes.",
        model.path, fmt::join(outputs.sizes(), ", "), fmt::join(features.sizes(), ", "));
  });
  if (outputs.dim() == 1) outputs = outputs.unsqueeze(1);
  if (outputs.size(1) == static_cast<std::int64_t>(model.output_offsets.size()))
    outputs = outputs - torch::tensor(model.output_offsets, torch::kFloat64);
  return outputs.to(torch::kFloat32).contiguous();
}

class TorchPredictor : public Predictor {
 public:
  TorchPredictor(const OpenedModel& model, std::vector<std::int64_t> row_shape, std::int64_t output_count,
                 LaneDevice device)
      : model_(model),
        row_shape_(std::move(row_shape)),
        output_count_(output_count),
        device_(torch_device(device.gpu)) {
    set_lane_threads(device.gpu < 0 ? device.thread_count : 1);
    if (device.gpu >= 0) use_tf32(false);
    forward_ =
        model.module ? forward_of(module_on(device_), model.trained.has_value()) : forward_of_plugin(model, device_);
  }

  bool predict(const float* features, std::int64_t count, float* outputs) override {
    const c10::OptionalDeviceGuard guard(device_);
    // Copied even on the CPU: the module may change its input, and the features may be in a mapped file.
    const torch::Tensor rows =
        torch::from_blob(const_cast<float*>(features), sizes_of(count, row_shape_), torch::kFloat32)
            .to(device_, torch::kFloat32, false, true);
    const torch::Tensor found = call_model(model_, forward_, rows);
    require(found.size(1) == output_count_, [&] {
      return fmt::format(
          "model '{}' returns {} outputs for some rows and {} for others. Wrap it in a module that returns "
          "the same number for all rows.",
          model_.path, found.size(1), output_count_);
    });
    std::memcpy(outputs, found.data_ptr<float>(), static_cast<std::size_t>(found.numel()) * sizeof(float));
    return first_not_finite(features, rows.numel()) == rows.numel();
  }

 private:
  torch::jit::Module module_on(torch::Device device) const {
    if (device.is_cpu()) return *model_.module;
    torch::jit::Module copy = model_.module->clone();
    copy.to(device);
    return copy;
  }

  const OpenedModel& model_;
  std::vector<std::int64_t> row_shape_;
  std::int64_t output_count_;
  torch::Device device_;
  Forward forward_;
};

}  // namespace

std::int64_t probe_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) {
  const Forward forward = forward_of(*model.module, model.trained.has_value());
  return call_model(model, forward, torch::zeros(sizes_of(1, row_shape))).size(1);
}

std::unique_ptr<Predictor> make_torch_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                                std::int64_t output_count, LaneDevice device) {
  try {
    return std::make_unique<TorchPredictor>(model, row_shape, output_count, device);
  } catch (const c10::Error& error) {
    throw RunError(fmt::format("model '{}' cannot be used on {} ({}). Choose another device with run.device.",
                               model.path, device.gpu < 0 ? "the CPU" : "the GPU", torch_messages(error)));
  }
}

}  // namespace sheaf
