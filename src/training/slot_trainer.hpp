// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "training/stack_trainer.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// One slot of a stack as a trainer of its own. train() and evaluate() are for this slot alone; StackedTrainings trains
/// and validates all slots at once instead. The stack outlives the object.
class SlotTrainer : public Trainer {
 public:
  SlotTrainer(StackTrainer& stack, std::int64_t slot) : stack_(stack), slot_(slot) {}

  void start(const TrainingTask& task) override { stack_.start(slot_, task); }
  EngineName engine() const override { return stack_.engine(); }
  /// The rows of a stack are those of its data set.
  void read_from(const DataSet&) override;
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) override;
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop) override;
  NetworkState network() const override { return stack_.network(slot_); }
  void save(ByteWriter& state) const override { stack_.save(slot_, state); }
  void restore(ByteReader& state) override { stack_.restore(slot_, state); }

 private:
  StackTrainer& stack_;
  const std::int64_t slot_;
};

}  // namespace sheaf
