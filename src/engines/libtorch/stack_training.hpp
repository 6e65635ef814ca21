// Trains a stack of models in LibTorch: many networks of one shape together, with batched products and without
// autograd.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engines/libtorch/batch_reader.hpp"
#include "engines/libtorch/stack_batches.hpp"
#include "engines/libtorch/stack_evaluation.hpp"
#include "engines/libtorch/stack_feed.hpp"
#include "engines/libtorch/stack_graph.hpp"
#include "engines/libtorch/stack_step.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf {

/// The functions are those of StackTrainer. Call them in one thread, for which LibTorch uses one thread on a CPU:
/// otherwise it could divide the values of a stack between threads within a slot, and results would depend on the
/// width. On a GPU, call all of them, and the constructor, with the same current stream, which is not the default one.
class StackTraining {
 public:
  /// `tensors`: of `data`; they determine the device. `ahead`: see StackFeed.
  StackTraining(const StackShape& shape, std::int64_t width, const DataSet& data,
                std::shared_ptr<const DataTensors> tensors, bool ahead);
  StackTraining(const StackTraining&) = delete;
  StackTraining& operator=(const StackTraining&) = delete;

  std::int64_t width() const { return static_cast<std::int64_t>(slots_.size()); }
  void start(std::int64_t slot, const TrainingTask& task);
  void train(const std::vector<SlotRows>& rows, double* loss_sums);
  void evaluate(std::vector<SlotEvaluation>& evaluations,
                const std::function<bool(std::int64_t slot)>& should_stop) const;
  NetworkState network(std::int64_t slot) const;
  void save(std::int64_t slot, ByteWriter& state) const;
  void restore(std::int64_t slot, ByteReader& state);

 private:
  void evaluate(const EvaluationChunk& chunk, std::vector<SlotEvaluation>& evaluations) const;
  void record_steps();
  const StackSlot& at(std::int64_t slot) const { return *slots_[static_cast<std::size_t>(slot)]; }

  StackShape shape_;
  std::shared_ptr<const DataTensors> tensors_;
  Uploader upload_;
  StackBatches batches_;
  std::vector<std::optional<StackSlot>> slots_;  // no value: nothing has begun there
  // On the device. The steps read and change only tensors that stay where they are.
  std::unique_ptr<StackStep> step_;
  std::unique_ptr<StackFeed> feed_;
  torch::Tensor loss_sums_;                           // [slots] float64
  std::unique_ptr<StackGraph> all_steps_, one_step_;  // with the batches of all places, and with that of the first one
};

}  // namespace sheaf
