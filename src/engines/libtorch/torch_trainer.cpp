// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_trainer.hpp"

#include <ATen/Parallel.h>

#include <mutex>

#include "engines/libtorch/network_maker.hpp"
#include "engines/libtorch/torch_call.hpp"
#include "engines/libtorch/torch_device.hpp"
#include "engines/libtorch/torch_training.hpp"
#include "training/engine_entry.hpp"

namespace sheaf {
namespace {

class TorchTrainer : public Trainer {
  template <class Use>
  auto run(const Use& use) {
    return call_torch(device_, use);
  }

 public:
  TorchTrainer(LaneDevice device, const DataSet* shared) : device_(torch_device(device.gpu)) {
    set_lane_threads(device.gpu < 0 ? device.thread_count : 1);
    if (shared == nullptr) return;
    shared_rows_ = rows_of(*shared);
    shared_ = shared_tensors(*shared, device_);
  }

  void start(const TrainingTask& task) override {
    run([&] {
      training_.reset();  // frees its memory for the next one
      if (device_.is_cuda()) use_tf32(task.trial.train.precision == Precision::tf32);
      const bool is_shared = shared_ != nullptr && rows_of(task.data) == shared_rows_;
      auto network = networks_.make({task.trial.model, task.layers, task.weights, task.shape, task.seed, task.scaling},
                                    device_, task.trial.train.precision);
      training_ = std::make_unique<TorchTraining>(task, std::move(network),
                                                  is_shared ? *shared_ : data_tensors(task.data, device_));
    });
  }

  EngineName engine() const override { return torch_engine_name; }

  void read_from(const DataSet& data) override {
    run([&] { training_->read_from(data); });
  }

  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) override {
    run([&] { training_->train(rows, rate, loss_sum); });
  }

  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override {
    return run([&] { return training_->evaluate(rows, count, outputs, should_stop); });
  }

  void save(ByteWriter& state) const override { training_->save(state); }

  void restore(ByteReader& state) override {
    run([&] { training_->restore(state); });
  }

  NetworkState network() const override { return training_->state(); }

 private:
  torch::Device device_;
  const void* shared_rows_ = nullptr;
  std::shared_ptr<const DataTensors> shared_;  // shared with the other lanes of the rank
  NetworkMaker networks_;
  std::unique_ptr<TorchTraining> training_;
};

}  // namespace

// LibTorch has some of these counts per thread (OpenMP) and others per process.
void set_lane_threads(int count) {
  static std::mutex mutex;
  static std::once_flag once;
  const std::lock_guard lock(mutex);
  std::call_once(once, [] { at::set_num_interop_threads(1); });
  at::set_num_threads(count);
}

std::unique_ptr<Trainer> make_torch_trainer(LaneDevice device, const DataSet* shared) {
  return start_torch(device, [&] { return std::make_unique<TorchTrainer>(device, shared); });
}

}  // namespace sheaf
