// The interface of engines that train several models together, in lockstep: each call computes one batch of every
// model. A stack has a fixed number of slots; each slot trains one model after another.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "models/network_layout.hpp"
#include "training/learning_rate.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// The next rows of the model in a slot. All slots of a call have the same number of batches.
struct SlotRows {
  TrainingRows rows;                   ///< rows.rows is null if the slot is idle
  const LearningRate* rate = nullptr;  ///< of the steps
};

/// Rows to evaluate with the model in a slot, and what is found.
struct SlotEvaluation {
  std::int64_t slot = 0;
  const std::int64_t* rows = nullptr;  ///< [count]
  std::int64_t count = 0;
  std::vector<float>* outputs = nullptr;  ///< those of the rows are appended, [count, outputs]
  std::optional<double> loss_sum{};       ///< of the losses of the rows; no value: should_stop ended it
};

/// Trains the models of a StackShape. The results of a slot do not depend on its number or on the other slots, and on a
/// CPU not on the number of slots. Not shared between threads. `slot`: 0 <= slot < width().
class StackTrainer {
 public:
  virtual ~StackTrainer() = default;

  virtual std::int64_t width() const = 0;

  /// The name of the stack's engine.
  virtual EngineName engine() const = 0;

  /// Begins a training in a slot, which ends the previous one there. `task` must have the shape of the stack. Rows are
  /// those of the data set of the stack, and `task` need not outlive the call, but the objects to which it refers must
  /// outlive the training.
  virtual void start(std::int64_t slot, const TrainingTask& task) = 0;

  /// Trains the next batches in all slots that are not idle. Adds the losses of a slot's rows to loss_sums[slot], as
  /// Trainer::train does. loss_sums: [width].
  virtual void train(const std::vector<SlotRows>& rows, double* loss_sums) = 0;

  /// Evaluates rows of the data set with the models in slots, as Trainer::evaluate does, all in one call. A slot may
  /// have several evaluations. Calls `should_stop` between parts of the work. If that returns true for a slot, its
  /// evaluations that are not complete end without a loss, and their `outputs` are incomplete.
  virtual void evaluate(std::vector<SlotEvaluation>& evaluations,
                        const std::function<bool(std::int64_t slot)>& should_stop) = 0;

  /// As the functions of Trainer with these names, for the model in a slot.
  virtual NetworkState network(std::int64_t slot) const = 0;
  virtual void save(std::int64_t slot, ByteWriter& state) const = 0;
  /// A state can be restored into any slot of any stack of this shape.
  virtual void restore(std::int64_t slot, ByteReader& state) = 0;
};

}  // namespace sheaf
