// The program on a machine with GPUs, for tests without any: GPUs are found, and LibTorch computes on a core what it
// would compute on a GPU. Everything else, such as the choice of engines, placement, lanes and stacks, is that of
// the program. Environment:
// PRETENDED_GPUS          number of GPUs of a node, 2 by default; CUDA_VISIBLE_DEVICES selects some of them
// PRETENDED_GPU_NAME      their name
// PRETENDED_GPU_FAILS=R,N the GPU of rank R fails in its N-th call that trains
// This file replaces engines/torch_backend.cpp, engines/usable_gpus.cpp and parallel/devices/gpus_*.cpp.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "engines/torch_backend.hpp"
#include "engines/usable_gpus.hpp"
#include "parallel/mpi/launcher.hpp"
#include "training/gpu_error.hpp"

extern "C" const sheaf::TorchBackend* sheaf_torch_backend();

namespace sheaf {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

// Counts a call of the GPU. Throws once the GPU of this rank fails, and then always.
void call_gpu() {
  static const std::string failure = variable("PRETENDED_GPU_FAILS", "");
  static const bool fails = failure.substr(0, failure.find(',')) == launched_rank().value_or("0");
  static const int last = fails ? std::stoi(failure.substr(failure.find(',') + 1)) : 0;
  static std::atomic<int> calls{0};
  if (fails && ++calls >= last) throw GpuError("CUDA error: unspecified launch failure");
}

class GpuTrainer : public Trainer {
 public:
  explicit GpuTrainer(std::unique_ptr<Trainer> on_core) : on_core_(std::move(on_core)) {}

  void start(const TrainingTask& task) override { on_core_->start(task); }
  EngineName engine() const override { return on_core_->engine(); }
  void read_from(const DataSet& data) override { on_core_->read_from(data); }
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) override {
    call_gpu();
    on_core_->train(rows, rate, loss_sum);
  }
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    return on_core_->evaluate(rows, count, outputs, should_stop);
  }
  NetworkState network() const override { return on_core_->network(); }
  void complete(NetworkState& state) const override { on_core_->complete(state); }
  void save(ByteWriter& state) const override { on_core_->save(state); }
  void restore(ByteReader& state) override { on_core_->restore(state); }

 private:
  const std::unique_ptr<Trainer> on_core_;
};

class GpuStack : public StackTrainer {
 public:
  explicit GpuStack(std::unique_ptr<StackTrainer> on_core) : on_core_(std::move(on_core)) {}

  std::int64_t width() const override { return on_core_->width(); }
  EngineName engine() const override { return on_core_->engine(); }
  void start(std::int64_t slot, const TrainingTask& task) override { on_core_->start(slot, task); }
  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    call_gpu();
    on_core_->train(rows, loss_sums);
  }
  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    on_core_->evaluate(evaluations, should_stop);
  }
  NetworkState network(std::int64_t slot) const override { return on_core_->network(slot); }
  void save(std::int64_t slot, ByteWriter& state) const override { on_core_->save(slot, state); }
  void restore(std::int64_t slot, ByteReader& state) override { on_core_->restore(slot, state); }

 private:
  const std::unique_ptr<StackTrainer> on_core_;
};

class Backend final : public TorchBackend {
  TorchInfo info() const override {
    TorchInfo info = torch_.info();
    info.built_with_cuda = true;
    info.cuda_device_count = static_cast<int>(find_gpus().gpus.size());
    return info;
  }
  double measure_blas_flops() const override { return torch_.measure_blas_flops(); }
  std::vector<ModuleFacts> check_modules(const std::vector<Trial>& trials, const DataShape& shape) const override {
    return torch_.check_modules(trials, shape);
  }
  std::unique_ptr<Trainer> make_trainer(LaneDevice device, const DataSet* shared) const override {
    if (!device.on_gpu()) return torch_.make_trainer(device, shared);
    return std::make_unique<GpuTrainer>(torch_.make_trainer(core_lane, shared));
  }
  std::unique_ptr<StackTrainer> make_stack_trainer(LaneDevice device, const DataSet& shared, const StackShape& shape,
                                                   std::int64_t width) const override {
    if (!device.on_gpu()) return torch_.make_stack_trainer(device, shared, shape, width);
    return std::make_unique<GpuStack>(torch_.make_stack_trainer(core_lane, shared, shape, width));
  }
  std::string script_model_file_bytes(const SavedModel& trained) const override {
    return torch_.script_model_file_bytes(trained);
  }
  std::string plugin_model_file_bytes(const SavedModel& trained, std::uint64_t iteration_seed) const override {
    return torch_.plugin_model_file_bytes(trained, iteration_seed);
  }
  std::shared_ptr<torch::jit::Module> load_module(const std::string& path) const override {
    return torch_.load_module(path);
  }
  std::int64_t probe_output_count(const OpenedModel& model, const std::vector<std::int64_t>& row_shape) const override {
    return torch_.probe_output_count(model, row_shape);
  }
  std::unique_ptr<Predictor> make_predictor(const OpenedModel& model, const std::vector<std::int64_t>& row_shape,
                                            std::int64_t output_count, LaneDevice device) const override {
    return torch_.make_predictor(model, row_shape, output_count, device.on_gpu() ? core_lane : device);
  }

  const TorchBackend& torch_ = *sheaf_torch_backend();
};

}  // namespace

VisibleGpus find_gpus() {
  constexpr double memory_bytes = 80e9;
  const int count = std::stoi(variable("PRETENDED_GPUS", "2"));
  std::string all;
  for (int id = 0; id < count; ++id) all += fmt::format("{}{}", id > 0 ? "," : "", id);
  const std::string name = variable("PRETENDED_GPU_NAME", "pretended GPU");
  VisibleGpus visible;
  std::istringstream ids(variable("CUDA_VISIBLE_DEVICES", all.c_str()));
  for (std::string id; std::getline(ids, id, ',');) visible.gpus.push_back({std::stoi(id) + 1, name, memory_bytes});
  if (visible.gpus.empty()) visible.none_reason = "CUDA found no GPU";
  return visible;
}

VisibleGpus find_usable_gpus() {
  return find_gpus();
}

VisibleGpus find_usable_gpus_unless(const std::function<std::optional<std::string>(const EngineEntry&)>&) {
  return find_gpus();
}

std::string advice_for_loading(const std::string&) {
  return "";
}

bool has_torch_library() {
  return true;
}

const TorchBackend& torch_backend() {
  static const Backend backend;
  return backend;
}

}  // namespace sheaf
