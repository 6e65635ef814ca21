// The part of a stack that runs on the host: what the batches of all slots consist of.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "data/dataset.hpp"
#include "engines/libtorch/stack_batch_layout.hpp"
#include "engines/native/layers/updater.hpp"
#include "models/dropout_mask.hpp"
#include "training/stack_shape.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf {

/// The state of the model in a slot on the host.
struct StackSlot {
  explicit StackSlot(const TrainingTask& task);

  std::uint64_t seed;
  TrainOptions train;
  double dropout;
  std::vector<double> class_weights;  ///< TrainingTask::class_weights
  const TargetScaling* target_scaling;
  Updater<double> updater;  ///< its rule: learning rates and bias corrections are computed in double, on the host
};

/// Fills batches. The same slots, rows and steps give the same values for any number of slots.
class StackBatches {
 public:
  /// `data` must outlive the object.
  StackBatches(const StackShape& shape, std::int64_t slots, const DataSet& data)
      : shape_(shape), data_(data), layout_(shape, slots) {}

  const StackBatchLayout& layout() const { return layout_; }

  /// The batches of a call of StackTrainer::train().
  std::int64_t count(const std::vector<SlotRows>& rows) const;

  /// Fills the batches `which` of the rows, one after the other, in memory of the host at `to`. Changes the updaters of
  /// the slots. Slots with rows have a value. The masks in `to` must have been filled before, or be 0.
  void fill(const std::vector<SlotRows>& rows, IndexRange which, std::vector<std::optional<StackSlot>>& slots,
            std::uint8_t* to) const;

 private:
  // A slot in the memory of a batch.
  struct Place {
    std::uint8_t* batch;
    std::int64_t slot;
  };
  void fill_idle(const Place& place) const;
  void fill(const SlotRows& rows, std::int64_t batch, StackSlot& slot, const Place& place) const;
  void fill_rows(const std::int64_t* rows, std::int64_t count, const StackSlot& slot, const Place& place) const;
  void fill_numbers(const SlotRows& rows, std::int64_t step, std::int64_t count, StackSlot& slot, double* to) const;
  void fill_masks(TrainingStep step, std::int64_t count, const StackSlot& slot, const Place& place) const;
  double weight_of(std::int64_t row, const StackSlot& slot) const;

  StackShape shape_;
  const DataSet& data_;
  StackBatchLayout layout_;
};

}  // namespace sheaf
