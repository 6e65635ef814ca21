// The part of a stack that runs on the host: what the batches of all slots consist of.
// SPDX-License-Identifier: MIT
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/index_range.hpp"
#include "data/dataset.hpp"
#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/stack_batch.hpp"
#include "engines/native/layers/updater.hpp"
#include "models/dropout_mask.hpp"
#include "training/stack_shape.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf {

/// What the host knows of the model in a slot.
struct StackSlot {
  explicit StackSlot(const TrainingTask& task);

  std::uint64_t seed;
  TrainOptions train;
  double dropout;
  std::vector<double> class_weights;  ///< TrainingTask::class_weights
  const TargetScaling* target_scaling;
  Updater<double> updater;  ///< its rule: learning rates and bias corrections are computed in double, on the host
};

/// Makes batches. The same slots, rows and steps give the same values for any number of slots.
class StackBatches {
 public:
  /// `data` must outlive the object.
  StackBatches(const StackShape& shape, const DataSet& data, torch::Device device);

  /// The batches of a call of StackTrainer::train().
  std::int64_t count(const std::vector<SlotRows>& rows) const;

  /// How many batches should be made at once, at most, because of their memory.
  std::int64_t block_count(std::int64_t slots) const;

  /// The batches `which` of the rows, on the device. Changes the updaters of the slots. Slots with rows have a value.
  std::vector<StackBatch> make(const std::vector<SlotRows>& rows, IndexRange which,
                               std::vector<std::optional<StackSlot>>& slots) const;

 private:
  // The values of one slot in one batch.
  struct Place {
    std::int64_t* rows;
    double *weights, *numbers;
    std::vector<float*> masks;  // of each layer; null: it does not drop values
  };
  StackBatch empty_block(std::int64_t batches, std::int64_t slots) const;
  Place place_in(const StackBatch& block, std::int64_t batch, std::int64_t slot) const;
  void fill(const SlotRows& rows, std::int64_t batch, StackSlot& slot, const Place& place) const;
  void fill_rows(const std::int64_t* rows, std::int64_t count, const StackSlot& slot, const Place& place) const;
  void fill_numbers(const SlotRows& rows, std::int64_t step, std::int64_t count, StackSlot& slot, double* to) const;
  void fill_masks(TrainingStep step, std::int64_t count, const StackSlot& slot, const Place& place) const;
  double weight_of(std::int64_t row, const StackSlot& slot) const;

  StackShape shape_;
  const DataSet& data_;
  std::int64_t padded_rows_;
  Uploader upload_;
};

}  // namespace sheaf
