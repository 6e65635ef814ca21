// The program on a machine with GPUs, for tests without any: it finds GPUs, and LibTorch computes on a core what it
// would compute on a GPU. What LibTorch can use (usable_gpus()) is not asked. The rest, such as the choice of engines,
// placement, lanes and stacks, is that of the program. Environment: SIMULATED_GPUS          number of GPUs of a node, 2
// by default; CUDA_VISIBLE_DEVICES selects some of them by number SIMULATED_GPU_NAME      their name
// SIMULATED_GPU_FAILS=R,N the GPU of rank R fails in its N-th call that trains. Later calls fail, too, and destroying
// what
//                         is on the GPU aborts the process.
// This file replaces engines/torch_backend.cpp, engines/usable_gpus.cpp and parallel/devices/gpus_*.cpp: it must define
// all of their functions.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
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

// The GPU of this rank.
class SimulatedGpu {
 public:
  static SimulatedGpu& get() {
    static SimulatedGpu gpu;
    return gpu;
  }

  bool will_fail() const { return last_call_ > 0; }
  bool has_failed() const { return has_failed_; }

  void call() const {
    if (has_failed_) throw GpuError("CUDA error: unspecified launch failure");
  }

  void train() {
    if (++calls_ >= last_call_) has_failed_ = true;
    call();
  }

  // For destructors.
  void free() const {
    if (!has_failed_) return;
    std::fputs("something on the failed GPU was destroyed\n", stderr);
    std::abort();
  }

 private:
  SimulatedGpu() {
    const std::string failure = variable("SIMULATED_GPU_FAILS", "");
    const std::size_t comma = failure.find(',');
    if (failure.substr(0, comma) == launched_rank().value_or("0")) last_call_ = std::stoi(failure.substr(comma + 1));
  }

  int last_call_ = 0;  // 0: does not fail
  std::atomic<int> calls_{0};
  std::atomic<bool> has_failed_{false};
};

// A trainer on a GPU that will fail.
class GpuTrainer : public Trainer {
 public:
  explicit GpuTrainer(std::unique_ptr<Trainer> on_core) : on_core_(std::move(on_core)) {}
  ~GpuTrainer() override { gpu_.free(); }

  void start(const TrainingTask& task) override { gpu_.call(), on_core_->start(task); }
  EngineName engine() const override { return on_core_->engine(); }
  void read_from(const DataSet& data) override { on_core_->read_from(data); }
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) override {
    gpu_.train();
    on_core_->train(rows, rate, loss_sum);
  }
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    gpu_.call();
    return on_core_->evaluate(rows, count, outputs, should_stop);
  }
  NetworkState network() const override { return gpu_.call(), on_core_->network(); }
  void complete(NetworkState& state) const override { on_core_->complete(state); }
  void save(ByteWriter& state) const override { gpu_.call(), on_core_->save(state); }
  void restore(ByteReader& state) override { gpu_.call(), on_core_->restore(state); }

 private:
  SimulatedGpu& gpu_ = SimulatedGpu::get();
  const std::unique_ptr<Trainer> on_core_;
};

// A stack on a GPU that will fail.
class GpuStack : public StackTrainer {
 public:
  explicit GpuStack(std::unique_ptr<StackTrainer> on_core) : on_core_(std::move(on_core)) {}
  ~GpuStack() override { gpu_.free(); }

  std::int64_t width() const override { return on_core_->width(); }
  EngineName engine() const override { return on_core_->engine(); }
  void start(std::int64_t slot, const TrainingTask& task) override { gpu_.call(), on_core_->start(slot, task); }
  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    gpu_.train();
    on_core_->train(rows, loss_sums);
  }
  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    gpu_.call();
    on_core_->evaluate(evaluations, should_stop);
  }
  NetworkState network(std::int64_t slot) const override { return gpu_.call(), on_core_->network(slot); }
  void save(std::int64_t slot, ByteWriter& state) const override { gpu_.call(), on_core_->save(slot, state); }
  void restore(std::int64_t slot, ByteReader& state) override { gpu_.call(), on_core_->restore(slot, state); }

 private:
  SimulatedGpu& gpu_ = SimulatedGpu::get();
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
    auto trainer = torch_.make_trainer(core_lane, shared);
    if (!SimulatedGpu::get().will_fail()) return trainer;
    SimulatedGpu::get().call();
    return std::make_unique<GpuTrainer>(std::move(trainer));
  }
  std::unique_ptr<StackTrainer> make_stack_trainer(LaneDevice device, const DataSet& shared, const StackShape& shape,
                                                   std::int64_t width) const override {
    if (!device.on_gpu()) return torch_.make_stack_trainer(device, shared, shape, width);
    auto stack = torch_.make_stack_trainer(core_lane, shared, shape, width);
    if (!SimulatedGpu::get().will_fail()) return stack;
    SimulatedGpu::get().call();
    return std::make_unique<GpuStack>(std::move(stack));
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
  const int count = std::stoi(variable("SIMULATED_GPUS", "2"));
  std::string all;
  for (int id = 0; id < count; ++id) all += fmt::format("{}{}", id > 0 ? "," : "", id);
  const std::string name = variable("SIMULATED_GPU_NAME", "simulated GPU");
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
