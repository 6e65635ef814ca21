// The interface of trainers: models that train batch by batch, in every engine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "data/splits.hpp"
#include "models/layer.hpp"
#include "models/network_layout.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// The training of one iteration: a network of `layers` from `weights` (the flat list of initial_weights()) on `rows`
/// of `data`, in the split's scaling. Everything outlives the training.
struct TrainingTask {
  const Trial& trial;
  const std::vector<Layer>& layers;
  const std::vector<float>& weights;
  const DataSet& data;
  const Split& split;
  const RowSet& rows;
  std::uint64_t seed = 0;
  DataShape shape{};  ///< of `data`, as the network takes it
};

/// Trains one model after the other. Not shared between threads.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Begins a training; the one before is over.
  virtual void start(const TrainingTask& task) = 0;

  /// The engine of this trainer.
  virtual EngineName engine() const = 0;

  /// Trains on the next `most` batches of the epoch, or on the rest of it. After the last batch, returns the loss of
  /// the epoch (IterationResult::final_loss). It is identical for every division of an epoch into calls.
  virtual std::optional<double> train_batches(std::int64_t most) = 0;

  /// Trains on `count` rows of `data`, a part of the task's data, in the given order. All batches are full except the
  /// last. Adds the losses of the rows to `loss_sum` (of the batches, if `train.reduction = sum`), batch by batch.
  virtual void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count, double& loss_sum) = 0;

  /// Loss of `rows` in evaluation mode, without sample weights, and the outputs [rows, outputs], plain values or
  /// logits. Calls `should_stop` between batches; if it returns true, returns no value, and
  /// `outputs` is incomplete.
  virtual std::optional<double> evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs,
                                         const std::function<bool()>& should_stop) = 0;

  /// The same for `count` rows of `data`: returns the rows' losses, summed, and appends the outputs.
  virtual std::optional<double> evaluate_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                              std::vector<float>& outputs,
                                              const std::function<bool()>& should_stop) = 0;

  /// The current network.
  virtual NetworkState network() const = 0;

  /// Optimizer steps since the start.
  virtual std::int64_t steps() const = 0;

  /// Saves the state between two batches: parameters, buffers, optimizer, counts, the position in the epoch and its
  /// loss so far.
  virtual void save(ByteWriter& state) const = 0;
  /// After start() of the same task: continues from there, to the same bits. Throws std::out_of_range or RunError when
  /// it is not such a state; start() is needed again then.
  virtual void restore(ByteReader& state) = 0;
};

}  // namespace sheaf
