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

  /// As the functions of Trainer with these names, for the model in a slot.
  virtual std::optional<double> evaluate(std::int64_t slot, const std::int64_t* rows, std::int64_t count,
                                         std::vector<float>& outputs, const std::function<bool()>& should_stop) = 0;
  virtual NetworkState network(std::int64_t slot) const = 0;
  virtual void save(std::int64_t slot, ByteWriter& state) const = 0;
  /// A state can be restored into any slot of any stack of this shape.
  virtual void restore(std::int64_t slot, ByteReader& state) = 0;
};

}  // namespace sheaf
