// The optimizer of the native engine: a study's options turned into one update rule a step.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "engines/native/kernels.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Pure but for the step it is at.
template <class Value>
class Updater {
 public:
  explicit Updater(const TrainOptions& train);

  /// Sets the numbers of step `step`, which counts from 0, in place of `train.learning_rate`.
  void begin_step(std::int64_t step, double learning_rate);

  /// Updates `count` parameters, a multiple of `padding`, with their state.
  void operator()(const Value* gradients, std::int64_t count, Value* parameters, Value* first, Value* second) const {
    update_(rule_, gradients, count, parameters, first, second);
  }

 private:
  TrainOptions train_;
  double log_beta1_, log_beta2_;
  UpdateRule<Value> rule_;
  typename UpdateKernels<Value>::Update update_;
};

}  // namespace sheaf
