// The section [train] of a study: the loss, the optimizer and the precision. `auto` and nullopt are replaced
// before a plan is made (commands/train/prepare/data_defaults), unless a comment states otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "study/auto_or.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/optimizers.hpp"
#include "study/precisions.hpp"
#include "study/schedules.hpp"

namespace sheaf {

enum class Average { none, ema };    ///< of the weights over the steps
enum class Reduction { mean, sum };  ///< of the loss that is minimized (training/losses/reduction.hpp)

/// Added to the norm of a gradient before train.clip_norm is divided by it, as in PyTorch.
inline constexpr double clip_norm_epsilon = 1e-6;

/// Weights of the classes (training/class_weights.hpp): balanced, or those of some classes; the others have 1.
struct ClassWeights {
  struct OfClass {
    std::string name;  ///< or number (study/named_class.hpp)
    double weight = 1;
  };
  bool balanced = false;
  std::vector<OfClass> of_classes{};

  bool any() const { return balanced || !of_classes.empty(); }
};

struct TrainOptions {
  std::int64_t epochs = 0;       ///< 0: auto
  std::int64_t batch_size = 32;  ///< 0: all rows in one batch
  bool shuffle = true;
  AutoOr<LossKind> loss;
  double huber_delta = 1;                 ///< huber: in the units of the targets
  double label_smoothing = 0;             ///< cross_entropy: in training only
  std::vector<double> quantiles = {0.5};  ///< quantile: ascending, one for each output
  Reduction reduction = Reduction::mean;
  ClassWeights class_weights;
  OptimizerKind optimizer = OptimizerKind::adam;
  std::optional<double> learning_rate;  ///< nullopt: initial_learning_rate() in study/key_defaults
  Schedule schedule = Schedule::constant;
  double warmup_epochs = 0;              ///< the rate rises to its initial value first
  double plateau_factor = 0.1;           ///< plateau: of the learning rate, each time
  std::int64_t plateau_patience = 10;    ///< plateau: epochs without improvement before that
  double step_factor = 0.1;              ///< step: of the learning rate, each time
  std::int64_t step_epochs = 30;         ///< step: epochs between two decays
  double exponential_factor = 0.95;      ///< exponential: of the learning rate, each epoch
  std::optional<std::int64_t> patience;  ///< of early stopping, in epochs; nullopt: auto, 0: none
  double min_change = 0;                 ///< of the monitored value: a smaller one is no improvement
  std::optional<MetricChoice> stop_on;   ///< the monitored value; nullopt: the loss
  double stop_fraction = 0;              ///< of the training rows, which decide instead of the validation rows; 0: none
  std::optional<bool> best_weights;      ///< results and models are those of the best epoch; nullopt: auto
  double clip_norm = 0;                  ///< the largest norm of the gradient; 0: none
  double clip_value = 0;                 ///< the largest absolute value of each of its elements; 0: none
  double l1 = 0;                         ///< factor of the sum of the absolute weights in the loss that is minimized
  Average average = Average::none;       ///< evaluations and models have averaged weights
  double average_decay = 0.99;           ///< ema: per step
  // study/optimizers.hpp says which optimizers have these keys.
  double momentum = 0;
  bool nesterov = false;
  std::optional<double> weight_decay;  ///< nullopt: settled with the data, otherwise 0
  double beta1 = 0.9;
  double beta2 = 0.999;
  double alpha = 0.99;  ///< smoothing constant
  double epsilon = 1e-8;
  Precision precision = Precision::float32;
};

/// The quantiles of the outputs; empty for other losses than quantile.
inline std::vector<double> quantiles_of(const TrainOptions& train) {
  return train.loss == LossKind::quantile ? train.quantiles : std::vector<double>();
}

inline LossFunction loss_function(const TrainOptions& train) {
  return {train.loss, train.huber_delta};
}

}  // namespace sheaf
