// The section [train] of a study: the loss, the optimizer and the precision. `automatic` and nullopt are replaced
// before a plan is made (commands/train/prepare/data_defaults), unless a comment states otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace sheaf {

enum class OptimizerKind { sgd, adam, adamw, rmsprop };
/// The learning rate over the steps of a training (training/learning_rate).
enum class Schedule { constant, cosine, plateau };
enum class LossKind { mse, cross_entropy, bce, mae, huber, automatic };  ///< see study/losses.hpp
enum class Reduction { mean, sum };  ///< of the loss that is minimized (training/losses/reduction.hpp)
/// Precision of weights and arithmetic. bfloat16: mixed precision, with matrix products and convolutions in bfloat16,
/// everything else in float32. tf32: float32, except that matrix products on GPUs round their inputs to 10 mantissa
/// bits.
enum class Precision { float32, float64, bfloat16, tf32 };

struct TrainOptions {
  std::int64_t epochs = 0;       ///< 0: auto
  std::int64_t batch_size = 32;  ///< 0: all rows in one batch
  bool shuffle = true;
  LossKind loss = LossKind::automatic;
  double huber_delta = 1;  ///< huber: in the units of the targets
  Reduction reduction = Reduction::mean;
  OptimizerKind optimizer = OptimizerKind::adam;
  std::optional<double> learning_rate;  ///< nullopt: initial_learning_rate() in study/key_defaults
  Schedule schedule = Schedule::constant;
  double warmup_epochs = 0;            ///< the rate rises to its initial value first
  double plateau_factor = 0.1;         ///< plateau: of the learning rate, each time
  std::int64_t plateau_patience = 10;  ///< plateau: epochs without improvement before that
  double momentum = 0;                 ///< sgd, rmsprop
  bool nesterov = false;               ///< sgd
  double weight_decay = 0;             ///< L2 in sgd, adam, rmsprop; decoupled in adamw
  double beta1 = 0.9;                  ///< adam, adamw
  double beta2 = 0.999;                ///< adam, adamw
  double alpha = 0.99;                 ///< rmsprop: smoothing constant
  double epsilon = 1e-8;               ///< adam, adamw, rmsprop
  Precision precision = Precision::float32;
};

}  // namespace sheaf
