// The interface of trainers. Each engine has a trainer, which trains one model batch by batch and holds its weights and
// optimizer state. A TrainingLoop counts epochs and steps; the driver of the loop chooses the rows.
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

/// The training of one iteration: a network of `layers`, initialized with `weights` (the flat list of
/// initial_weights()), trains on `rows` of `data`. Features are scaled by `scaling`, targets as in `split`. Losses,
/// outputs and networks are returned in the units of the targets. All referenced objects must outlive the training.
struct TrainingTask {
  const Trial& trial;
  const std::vector<Layer>& layers;
  const std::vector<float>& weights;
  const DataSet& data;
  const Split& split;
  const FeatureScaling& scaling;
  const RowSet& rows;
  std::uint64_t seed = 0;
  DataShape shape{};                    ///< the shape of `data` for the network
  bool repeats_one_batch = false;       ///< every call of train() has the same rows, so a trainer may reuse them
  std::vector<double> class_weights{};  ///< factors of the weights of training rows, by label; empty: all 1
};

/// Training rows, in order, divided into batches of batch_rows(). Only the last batch may be smaller. Each batch is one
/// optimizer step.
struct TrainingRows {
  const std::int64_t* rows = nullptr;  ///< [count]
  std::int64_t count = 0;
  std::int64_t first_step = 0;  ///< step number of the first batch, counted from the start of the training
};

/// Trains one model after another. Not shared between threads.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Begins a training. This ends the previous one.
  virtual void start(const TrainingTask& task) = 0;

  /// The name of the trainer's engine.
  virtual EngineName engine() const = 0;

  /// From now on, reads rows from `data`, a part of the task's data, instead of the task's data. `data` must exist as
  /// long as rows are read from it.
  virtual void read_from(const DataSet& data) = 0;

  /// Trains on rows of the data. Adds the losses of the rows (training/losses/reduction.hpp) to `loss_sum`, batch by
  /// batch, so that the sum does not depend on how an epoch is divided into calls.
  virtual void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum) = 0;

  /// Evaluates `count` rows of the data without sample weights. Returns the sum of their losses and appends the outputs
  /// to `outputs`, [rows, outputs], plain values or logits. Calls `should_stop` between batches. If that returns true,
  /// evaluate() returns no value, and `outputs` is incomplete.
  virtual std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                         const std::function<bool()>& should_stop) = 0;

  /// The current network. Values that complete() can add later may be missing.
  virtual NetworkState network() const = 0;

  /// Adds the missing values of a state of this training, such as the trees of its first rounds. By default, none are
  /// missing.
  virtual void complete(NetworkState& /*state*/) const {}

  /// Saves parameters, buffers and optimizer state.
  virtual void save(ByteWriter& state) const = 0;
  /// Restores a saved state. Call it after start() of the same task; the training then continues bit-identically.
  /// Throws std::out_of_range or RunError if the state does not fit; call start() again in that case.
  virtual void restore(ByteReader& state) = 0;
};

}  // namespace sheaf
