// The optimizer of the native engine: makes an update rule for each step from the options of a study.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "engines/native/kernels/kernels.hpp"
#include "study/train_options.hpp"
#include "training/nadam_momentum.hpp"

namespace sheaf {

/// Its only state is the current step.
template <class Value>
class Updater {
 public:
  explicit Updater(const TrainOptions& train);

  /// Sets the rule for step `step`, counted from 0, with this learning rate instead of `train.learning_rate`.
  void begin_step(std::int64_t step, double learning_rate);

  /// The rule of the current step.
  const UpdateRule<Value>& rule() const { return rule_; }

  /// Updates `count` parameters (a multiple of `padding`) and their state (kernels.hpp).
  void operator()(const Value* gradients, std::int64_t count, Value* parameters, Value* states,
                  std::int64_t state_stride) const {
    update_(rule_, gradients, count, parameters, states, state_stride);
  }

 private:
  bool has_betas_;
  double log_beta1_, log_beta2_, decoupled_decay_;
  std::optional<NadamMomentum> nadam_;  // of nadam only
  UpdateRule<Value> rule_;
  Update<Value> update_;
};

}  // namespace sheaf
