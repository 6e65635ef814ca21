// SPDX-License-Identifier: MIT
#include "engines/torch_engine.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "engines/native/kernels/blas_library.hpp"
#include "engines/native/kernels/blas_memory.hpp"
#include "engines/stack_refusal.hpp"
#include "engines/torch_backend.hpp"
#include "files/replace_file.hpp"
#include "models/torchscript_archive.hpp"

namespace sheaf {
namespace {

std::optional<std::string> refusal(const Trial& trial, const DataShape&, LaneDevice device) {
  if (!is_network(trial.model.kind)) return "trees are trained by XGBoost";
  const PrecisionRow& precision = precision_of(trial.train.precision);
  if (precision.needs_gpu && !device.on_gpu()) return fmt::format("train.precision = {} needs a GPU", precision.name);
  return std::nullopt;
}

// The time of a small step is bound by dozens of calls (forward, backward, optimizer): kernel launches on a GPU, the
// overhead of LibTorch on a core. `gpu_flops` is the rate of float32 products on a large GPU.
//
// The models of a stack share the calls, which a CUDA graph makes cheap: 28 of them at 1.7 us. They do not share the
// traffic of the GPU's memory: counted by operator, a step of a 64-32-10 network with batches of 32 rows and Adam moves
// 307 KB and one of 784-128-10 8.8 MB, about five times what the model needs. Small products reach a third of the peak.
// All these are estimates until they are measured on a GPU. For an H100 they give, in steps of models per second,
// 20,000 for a model alone, 5 million for 1024 of 64-32-10, 200,000 for 50 of 784-128-10, and 30,000 for 32 of
// 784-512-10 with batches of 128 rows.
double expected_seconds(const TrialEstimate& estimate, LaneDevice device) {
  constexpr double gpu_step_seconds = 0.75e-3, core_step_seconds = 0.15e-3, gpu_flops = 20e12;
  constexpr double stack_step_seconds = 28 * 1.7e-6, stack_flops = 15e12, gpu_bytes = 3e12, passes = 5;
  const auto steps = static_cast<double>(estimate.steps);
  if (!device.on_gpu()) return steps * core_step_seconds + estimate.flops / (expected_core_flops * device.thread_count);
  if (estimate.together == 1) return steps * gpu_step_seconds + estimate.flops / gpu_flops;
  const double traffic = steps * passes * estimate.model_bytes;
  return steps * stack_step_seconds / static_cast<double>(estimate.together) + traffic / gpu_bytes +
         estimate.flops / stack_flops;
}

std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) {
  return torch_backend().make_trainer(device, shared);
}

std::optional<std::string> refusal_of_stack(const Trial& trial, const DataShape& shape) {
  return stack_refusal(trial, has_layout(trial.model.kind) ? network_layout(trial.model, shape) : std::vector<Layer>());
}

std::unique_ptr<StackTrainer> make_stack_trainer(LaneDevice device, const DataSet& shared, const StackShape& shape,
                                                 std::int64_t width) {
  return torch_backend().make_stack_trainer(device, shared, shape, width);
}

std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                          std::int64_t output_count, LaneDevice device) {
  return torch_backend().make_predictor(model, row_shape, output_count, device);
}

std::string version() {
  return torch_backend().info().version;
}

std::string devices() {
  const TorchInfo torch = torch_backend().info();
  if (torch.cuda_device_count > 0) return counted(torch.cuda_device_count, "CUDA device");
  return torch.built_with_cuda ? "no CUDA device" : "built without CUDA";
}

std::string platform() {
  const TorchInfo torch = torch_backend().info();
  return fmt::format("{}, {}, {}", torch.version, torch.instruction_set, blas_library());
}

// Loads LibTorch now, not in a lane during the training.
void prepare(std::int64_t threads) {
  torch_backend();
  reserve_blas_memory(threads);
}

bool uses_blas() {
  return true;
}

double measure_flops() {
  return torch_backend().measure_blas_flops();
}

VisibleGpus usable_gpus() {
  if constexpr (!SHEAF_TORCH_HAS_CUDA) return {{}, "the LibTorch of this build has no CUDA support"};
  VisibleGpus visible = find_gpus();
  if (visible.gpus.empty()) return visible;
  const TorchInfo torch = torch_backend().info();
  if (torch.cuda_device_count >= static_cast<int>(visible.gpus.size())) return visible;
  if (torch.cuda_device_count > 0)
    return {{}, fmt::format("LibTorch can use {} of the {} GPUs", torch.cuda_device_count, visible.gpus.size())};
  return {{},
          torch.built_with_cuda ? "LibTorch cannot use the GPUs; the driver may be too old"
                                : "LibTorch was built without CUDA"};
}

// Only LibTorch can write the code of a TorchScript module from Python and the tensors of a plugin.
void write_model(const SavedModel& trained, std::uint64_t iteration_seed, const std::string& path) {
  if (has_layout(trained.description.model.kind))
    write_whole_file(path, [&](const ByteSink& sink) { write_torchscript_archive(trained, sink); });
  else if (trained.description.plugin_content)
    write_whole_file(path, torch_backend().plugin_model_file_bytes(trained, iteration_seed));
  else
    write_whole_file(path, torch_backend().script_model_file_bytes(trained));
}

EngineServices services() {
  static const EngineLibrary library = {"LibTorch", "sheaf-torch", has_torch_library, version, false, devices};
  EngineServices all;
  all.shared_library = &library;
  all.platform_key = "libtorch";
  all.platform_name = library.name;
  all.platform = platform;
  all.prepare = prepare;
  all.uses_blas = uses_blas;
  all.measure_flops = measure_flops;
  all.usable_gpus = usable_gpus;
  all.write_model = write_model;
  return all;
}

}  // namespace

EngineEntry torch_engine() {
  return {torch_engine_name,
          EngineKind::torch,
          true,
          true,
          true,
          services(),
          refusal,
          expected_seconds,
          make_trainer,
          make_predictor,
          refusal_of_stack,
          make_stack_trainer};
}

}  // namespace sheaf
