// One model's training in the native engine: batches of tiles.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "engines/native/network.hpp"
#include "models/network_layout.hpp"
#include "study/study.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// Value: float or double. Made once for trainings of one shape, then started for each. train() allocates nothing and
/// makes no system call, but for the first that is called at all. Not shared between threads.
template <class Value>
class NativeTraining {
 public:
  /// For `training_count` rows, and evaluations of `validation_count` rows at once (may be 0).
  NativeTraining(const std::vector<Layer>& layers, const ModelOptions& model, const TrainOptions& train,
                 std::int64_t training_count, std::int64_t validation_count);

  /// As Trainer's.
  void start(const TrainingTask& task);

  /// As Trainer's; the data are in the scaling of the task.
  void read_from(const DataSet& data);

  /// As Trainer's.
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum);

  /// As Trainer's; `should_stop` is asked between tiles. Allocates for more rows than were promised.
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop);

  /// The flat list of initial_weights(), as trained.
  std::vector<float> parameters() const { return network_.parameters(); }

  /// As Trainer's.
  void save(ByteWriter& state) const { network_.save(state); }
  void restore(ByteReader& state) { network_.restore(state); }

 private:
  void reserve_batch(std::int64_t count);
  double train_batch(const std::int64_t* rows, std::int64_t count, std::int64_t step, double rate);
  std::optional<double> evaluate_tiles(const std::int64_t* rows, std::int64_t count, float* outputs,
                                       const std::function<bool()>& should_stop);
  double per_row(double loss_sum) const;

  TrainOptions train_;
  std::int64_t batch_size_, output_count_;
  bool one_tile_;  // an epoch is one batch, and one tile that stays in the cache
  std::int64_t tile_limit_;
  NativeNetwork<Value> network_;

  std::uint64_t seed_ = 0;
  bool keeps_tile_ = false;  // of this training: every batch is the same tile
  bool has_tile_ = false;    // and the network has it
};

}  // namespace sheaf
