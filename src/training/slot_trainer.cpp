// SPDX-License-Identifier: MIT
#include "training/slot_trainer.hpp"

#include <cassert>

namespace sheaf {

void SlotTrainer::read_from(const DataSet&) {
  assert(false);  // streamed data only
}

void SlotTrainer::train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) {
  std::vector<SlotRows> of_slots(static_cast<std::size_t>(stack_.width()));
  of_slots[static_cast<std::size_t>(slot_)] = {rows, &rate};
  std::vector<double> sums(of_slots.size());
  sums[static_cast<std::size_t>(slot_)] = loss_sum;
  stack_.train(of_slots, sums.data());
  loss_sum = sums[static_cast<std::size_t>(slot_)];
}

std::optional<double> SlotTrainer::evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                            const std::function<bool()>& should_stop) {
  std::vector<SlotEvaluation> one = {{slot_, rows, count, &outputs}};
  stack_.evaluate(one, [&](std::int64_t) { return should_stop(); });
  return one.front().loss_sum;
}

}  // namespace sheaf
