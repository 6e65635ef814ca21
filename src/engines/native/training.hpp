// One model's training in the native engine: epochs of batches of tiles.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "engines/native/network.hpp"
#include "models/network_layout.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Value: float or double. Made once for trainings of one shape, then started for each. train_batches allocates
/// nothing and makes no system call, but for the first that is called at all. Not shared between threads.
template <class Value>
class NativeTraining {
 public:
  /// For `training_count` rows, and evaluations of `validation_count` rows at once (may be 0).
  NativeTraining(const std::vector<Layer>& layers, const ModelOptions& model, const TrainOptions& train,
                 std::int64_t training_count, std::int64_t validation_count);

  /// Begins with the flat list of initial_weights(). Data and scaling outlive the training; as many rows as promised.
  void start(const std::vector<float>& weights, const DataSet& data, const FeatureScaling& scaling, const RowSet& rows,
             std::uint64_t iteration_seed);

  /// As Trainer's.
  std::optional<double> train_batches(std::int64_t most);

  /// As Trainer's of the same names; the data may change from call to call. The second may allocate.
  void train_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count, double& loss_sum);
  std::optional<double> evaluate_rows(const DataSet& data, const std::int64_t* rows, std::int64_t count,
                                      std::vector<float>& outputs, const std::function<bool()>& should_stop);

  /// As Trainer's; `should_stop` is asked between tiles.
  std::optional<double> evaluate(const std::vector<std::int64_t>& rows, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop);

  /// The flat list of initial_weights(), as trained.
  std::vector<float> parameters() const { return network_.parameters(); }

  std::int64_t steps() const { return step_; }

  /// As Trainer's.
  void save(ByteWriter& state) const;
  void restore(ByteReader& state);

 private:
  void reserve_batch(std::int64_t count);
  void order_epoch();
  double train_batch(const std::int64_t* rows, std::int64_t count);
  std::optional<double> evaluate_tiles(const std::int64_t* rows, std::int64_t count, float* outputs,
                                       const std::function<bool()>& should_stop);
  double per_row(double loss_sum) const;

  TrainOptions train_;
  std::int64_t training_count_, batch_size_, output_count_;
  bool one_batch_;  // an epoch is one batch whose order does not matter
  bool keeps_;      // and it stays in the cache, as one tile
  std::int64_t tile_limit_;
  NativeNetwork<Value> network_;

  RowSet rows_;
  std::vector<std::int64_t> order_;  // the epoch's rows; ascending for one batch; empty for streamed data
  bool ordered_ = false;             // for one batch: `order_` has these rows
  bool gathered_ = false;            // what is kept is there

  std::uint64_t seed_ = 0;
  std::int64_t epoch_ = 0, step_ = 0;
  std::int64_t place_ = 0;  // rows of the epoch that are done, in whole batches
  double loss_sum_ = 0;     // of these
};

}  // namespace sheaf
