// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_stack_trainer.hpp"

#include "engines/libtorch/stack_training.hpp"
#include "engines/libtorch/torch_call.hpp"
#include "engines/libtorch/torch_device.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "training/engine_entry.hpp"

namespace sheaf {
namespace {

class TorchStackTrainer : public StackTrainer {
 public:
  TorchStackTrainer(LaneDevice device, const DataSet& shared, const StackShape& shape, std::int64_t width,
                    std::optional<bool> ahead)
      : stream_(own_stream(torch_device(device.gpu))) {
    const bool is_on_gpu = stream_.device().is_cuda();
    set_lane_threads(1);
    if (is_on_gpu) use_tf32(false);
    const c10::StreamGuard guard(stream_);
    training_ = std::make_unique<StackTraining>(shape, width, shared, shared_tensors(shared, stream_.device()),
                                                ahead.value_or(is_on_gpu));
  }

  std::int64_t width() const override { return training_->width(); }

  EngineName engine() const override { return torch_engine_name; }

  void start(std::int64_t slot, const TrainingTask& task) override {
    call_torch(stream_, [&] { training_->start(slot, task); });
  }

  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    call_torch(stream_, [&] { training_->train(rows, loss_sums); });
  }

  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    call_torch(stream_, [&] { training_->evaluate(evaluations, should_stop); });
  }

  NetworkState network(std::int64_t slot) const override {
    return call_torch(stream_, [&] { return training_->network(slot); });
  }

  void save(std::int64_t slot, ByteWriter& state) const override {
    call_torch(stream_, [&] { training_->save(slot, state); });
  }

  void restore(std::int64_t slot, ByteReader& state) override {
    call_torch(stream_, [&] { training_->restore(slot, state); });
  }

 private:
  c10::Stream stream_;
  std::unique_ptr<StackTraining> training_;
};

}  // namespace

std::unique_ptr<StackTrainer> make_torch_stack_trainer(LaneDevice device, const DataSet& shared,
                                                       const StackShape& shape, std::int64_t width,
                                                       std::optional<bool> ahead) {
  return start_torch(device, [&] { return std::make_unique<TorchStackTrainer>(device, shared, shape, width, ahead); });
}

}  // namespace sheaf
