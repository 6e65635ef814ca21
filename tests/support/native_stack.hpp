// A stack of models that train one by one with the native engine, for tests of what uses stacks.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engines/native/native_trainer.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf::test {

class NativeStack : public StackTrainer {
 public:
  /// `pause`: in each call of train().
  explicit NativeStack(std::int64_t width, std::chrono::milliseconds pause = {}) : pause_(pause) {
    for (std::int64_t slot = 0; slot < width; ++slot) trainers_.push_back(make_native_trainer());
  }

  std::int64_t width() const override { return static_cast<std::int64_t>(trainers_.size()); }
  EngineName engine() const override { return trainers_.front()->engine(); }
  void start(std::int64_t slot, const TrainingTask& task) override { of(slot).start(task); }

  void train(const std::vector<SlotRows>& rows, double* loss_sums) override {
    ++calls_;
    std::this_thread::sleep_for(pause_);
    for (std::int64_t slot = 0; slot < width(); ++slot)
      if (const SlotRows& of_slot = rows[static_cast<std::size_t>(slot)]; of_slot.rows.rows != nullptr)
        of(slot).train(of_slot.rows, *of_slot.rate, loss_sums[slot]);
  }

  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) override {
    for (SlotEvaluation& each : evaluations)
      each.loss_sum =
          of(each.slot).evaluate(each.rows, each.count, *each.outputs, [&] { return should_stop(each.slot); });
  }
  NetworkState network(std::int64_t slot) const override { return of(slot).network(); }
  void save(std::int64_t slot, ByteWriter& state) const override { of(slot).save(state); }
  void restore(std::int64_t slot, ByteReader& state) override { of(slot).restore(state); }

  /// Calls of train() so far.
  std::int64_t calls() const { return calls_; }

 private:
  Trainer& of(std::int64_t slot) const { return *trainers_[static_cast<std::size_t>(slot)]; }

  std::vector<std::unique_ptr<Trainer>> trainers_;
  std::chrono::milliseconds pause_;
  std::int64_t calls_ = 0;
};

}  // namespace sheaf::test
