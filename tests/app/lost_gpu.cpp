// The program with a make_engine() (engines/lane_engine.hpp) for which each lane has a GPU, which is a core. On rank
// LOST_GPU_RANK it fails in call LOST_GPU_CALL of its stacks. LOST_GPU_FALLBACK=1: then the lane goes on with its core,
// as with run.device = auto; otherwise the job ends, as with cuda.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "engines/fallback_engine.hpp"
#include "engines/lane_engine.hpp"
#include "engines/stacked_engine.hpp"
#include "parallel/mpi/launcher.hpp"
#include "study/study.hpp"
#include "training/gpu_error.hpp"
#include "training/stack_trainer.hpp"
#include "training/stack_width.hpp"

namespace sheaf {
namespace {

class FailingStack : public StackTrainer {
 public:
  FailingStack(std::unique_ptr<StackTrainer> stack, std::shared_ptr<int> calls_left)
      : stack_(std::move(stack)), calls_left_(std::move(calls_left)) {}

  std::int64_t width() const override { return stack_->width(); }
  EngineName engine() const override { return stack_->engine(); }
  void start(std::int64_t slot, const TrainingTask& task) override { stack_->start(slot, task); }
  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    if (--*calls_left_ == 0) throw GpuError("CUDA error: unspecified launch failure");
    stack_->train(rows, loss_sums);
  }
  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    stack_->evaluate(evaluations, should_stop);
  }
  NetworkState network(std::int64_t slot) const override { return stack_->network(slot); }
  void save(std::int64_t slot, ByteWriter& state) const override { stack_->save(slot, state); }
  void restore(std::int64_t slot, ByteReader& state) override { stack_->restore(slot, state); }

 private:
  const std::unique_ptr<StackTrainer> stack_;
  const std::shared_ptr<int> calls_left_;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice) {
  const StackSize size = stack_size_of(context.study);
  const bool fails = variable("LOST_GPU_RANK") == launched_rank().value_or("0");
  const auto calls_left = std::make_shared<int>(fails ? std::stoi(variable("LOST_GPU_CALL")) : 0);  // 0: no end
  auto engine = make_stacked_engine(
      context, core_lane, size,
      [calls_left, data = context.data](const EngineEntry& entry, const StackShape& shape, std::int64_t width) {
        return std::make_unique<FailingStack>(entry.make_stack_trainer(core_lane, *data, shape, width), calls_left);
      });
  if (variable("LOST_GPU_FALLBACK") != "1") return engine;
  return make_fallback_engine(std::move(engine),
                              [context, size] { return make_stacked_engine(context, core_lane, size); });
}

}  // namespace sheaf
