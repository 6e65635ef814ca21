// Trains one model in the native engine, with batches divided into tiles.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "data/dataset.hpp"
#include "engines/native/network.hpp"
#include "study/train_options.hpp"
#include "training/trainer.hpp"

namespace sheaf {

/// The properties of a training that determine its memory and its products. Trainings of equal shape may differ in
/// everything else, such as their learning rates, activations and losses.
struct TrainingShape {
  NetworkShape network;
  std::int64_t batch_size = 0;
  std::int64_t training_count = 0;
  std::int64_t evaluated_count = 0;  ///< the most rows of an evaluation; may be 0
};

/// Value: float or double. An object is made once for trainings of one shape, then started for each of them. Except for
/// its very first call, train() allocates no memory and makes no system call. Not shared between threads.
template <class Value>
class NativeTraining {
 public:
  explicit NativeTraining(const TrainingShape& shape);

  /// See Trainer::start(). The task has the shape.
  void start(const TrainingTask& task);

  /// See Trainer::read_from(). The data are scaled as those of the task.
  void read_from(const DataSet& data);

  /// See Trainer::train().
  void train(const TrainingRows& rows, const LearningRate& rate, double& loss_sum);

  /// See Trainer::evaluate(), for at most `evaluated_count` rows. Calls `should_stop` between tiles.
  std::optional<double> evaluate(const std::int64_t* rows, std::int64_t count, std::vector<float>& outputs,
                                 const std::function<bool()>& should_stop);

  /// The trained network, in the units of the scaled targets.
  NetworkState state() const { return network_.state(); }

  /// See Trainer::save() and Trainer::restore().
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
  bool one_tile_;  // an epoch is one batch and one tile, which fits the cache
  std::int64_t tile_limit_;
  NativeNetwork<Value> network_;

  GradientHook<Value> terms_;
  const GradientHook<Value>* hook_ = nullptr;  // terms_, if this training has some
  std::uint64_t seed_ = 0;
  bool keeps_tile_ = false;  // in this training, every batch is the same tile
  bool has_tile_ = false;    // this tile is gathered
};

}  // namespace sheaf
