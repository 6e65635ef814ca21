// The interface of trainers: what trains one model batch by batch, in every engine. A trainer holds the weights and the
// optimizer's state; a TrainingLoop counts epochs and steps, and its driver chooses the rows.
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
#include "training/learning_rate.hpp"

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
  DataShape shape{};               ///< of `data`, as the network takes it
  bool repeats_one_batch = false;  ///< every call of train() has the same rows: a trainer may keep what it read
};

/// Rows that train, in this order, in batches of batch_rows(); only the last may be smaller. One optimizer step each.
struct TrainingRows {
  const std::int64_t* rows = nullptr;  ///< [count]
  std::int64_t count = 0;
  std::int64_t first_step = 0;  ///< the number of the first batch's step, counted from the start of the training
};

/// Trains one model after the other. Not shared between threads.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Begins a training; the one before is over.
  virtual void start(const TrainingTask& task) = 0;

  /// The engine of this trainer.
  virtual EngineName engine() const = 0;

  /// Reads rows of `data` from now on, a part of the task's data, in place of the task's. It outlives the reading.
  virtual void read_from(const DataSet& data) = 0;

  /// Trains on rows of the data. Adds the losses of the rows to `loss_sum` (of the batches, if `train.reduction =
  /// sum`), batch by batch, so that the sum is the same however an epoch is divided into calls.
  virtual void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) = 0;

  /// Evaluates `count` rows of the data without sample weights. Returns the sum of their losses and appends the
  /// outputs [rows, outputs], plain values or logits. Calls `should_stop` between batches; if it returns true, returns
  /// no value, and `outputs` is incomplete.
  virtual std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                         const std::function<bool()>& should_stop) = 0;

  /// The current network.
  virtual NetworkState network() const = 0;

  /// Saves parameters, buffers and the optimizer's state.
  virtual void save(ByteWriter& state) const = 0;
  /// After start() of the same task: continues from there, to the same bits. Throws std::out_of_range or RunError when
  /// it is not such a state; start() is needed again then.
  virtual void restore(ByteReader& state) = 0;
};

}  // namespace sheaf
