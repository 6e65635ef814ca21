// What every engine offers: a model that trains batch by batch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "core/bytes.hpp"
#include "dataset/dataset.hpp"
#include "dataset/row_set.hpp"
#include "dataset/splits.hpp"
#include "plan/iteration_record.hpp"
#include "plan/layer.hpp"
#include "plan/network_layout.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// What an iteration trains: a network of `layers` from `weights` (the flat list of initial_weights()) on `rows` of
/// `data`, in the split's scaling. Everything outlives the training.
struct TrainingTask {
  const Trial& trial;
  const std::vector<Layer>& layers;
  const std::vector<float>& weights;
  const DataSet& data;
  const Split& split;
  const RowSet& rows;
  std::uint64_t seed = 0;
  DataShape shape{};  ///< what the network sees of `data`
};

/// Trains one model after the other. Not shared between threads.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Begins a training; the one before is over.
  virtual void start(const TrainingTask& task) = 0;

  /// Which one it is.
  virtual TrainedBy engine() const = 0;

  /// The next `most` batches of the epoch, or as many as it has left. Returns its loss (IterationRecord::final_loss)
  /// with the last one, else nothing. Losses have the same bits however an epoch is cut into calls.
  virtual std::optional<double> train_batches(std::int64_t most) = 0;

  /// What is left of the epoch.
  double train_epoch() { return *train_batches(std::numeric_limits<std::int64_t>::max()); }

  /// Trains on `count` rows of `data`, which is a part of the task's, in their order and in full batches but for the
  /// last. Adds the rows' losses to `loss_sum` (for `train.reduction = sum` the batches'), batch by batch.
  virtual void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count, double& loss_sum) = 0;

  /// Loss of `rows` in evaluation mode, without sample weights, and the outputs [rows, outputs], plain values or
  /// logits. Asks `leaves` between batches; nothing when it said so, and the outputs are not to be used then.
  virtual std::optional<double> evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs,
                                         const std::function<bool()>& leaves) = 0;

  /// The same for `count` rows of `data`: returns the rows' losses, summed, and appends the outputs.
  virtual std::optional<double> evaluate_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                              std::vector<float>& outputs, const std::function<bool()>& leaves) = 0;

  /// The network as it is now.
  virtual NetworkState network() const = 0;

  /// Optimizer steps since the start.
  virtual std::int64_t steps() const = 0;

  /// Everything that later batches depend on, as it is between two of them: parameters, buffers, optimizer, counts, the
  /// place in the epoch and its loss so far.
  virtual void save(ByteWriter& state) const = 0;
  /// After start() of the same task: continues from there, to the same bits. Throws std::out_of_range or RunError when
  /// it is not such a state; start() is needed again then.
  virtual void restore(ByteReader& state) = 0;
};

}  // namespace sheaf
