// Which models can be trained together in a stack: what they must have in common, and what may differ between them.
// Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "data/feature_scaling.hpp"
#include "models/layer.hpp"
#include "study/model_options.hpp"
#include "study/plan.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// What the models of a stack have in common. Everything else may differ between them: weights, seeds, folds, row
/// orders, numbers of epochs, learning rates and schedules, early stopping, momentum, betas, weight decay, adam or
/// adamw, and the values of what is only on or off here.
struct StackShape {
  std::vector<Layer> layers;
  Activation activation = Activation::relu;
  bool has_dropout = false;  ///< the model may drop values
  LossKind loss = LossKind::mse;
  std::vector<double> quantiles;  ///< quantiles_of()
  Reduction reduction = Reduction::mean;
  OptimizerKind optimizer = OptimizerKind::adam;  ///< adam stands for adamw, too
  bool clips_norm = false, clips_values = false, has_l1 = false;
  Average average = Average::none;
  Precision precision = Precision::float32;
  bool scales_features = false, clips_features = false;  ///< FeatureScaling has shift and scale; clip
  bool weighs_classes = false;                           ///< TrainingTask::class_weights may not be empty
  std::int64_t batch_rows = 0;                           ///< of all batches but the last one of an epoch
  std::int64_t epoch_batches = 0;                        ///< optimizer steps per epoch
};

bool operator==(const StackShape& one, const StackShape& other);
inline bool operator!=(const StackShape& one, const StackShape& other) {
  return !(one == other);
}

/// The shape of the stack that can train a trial, a network, on `training_rows` rows. `layers`: network_layout(), empty
/// for modules of users. `scaling`: of its features, scaling_for() the layers.
StackShape stack_shape(const Trial& trial, const std::vector<Layer>& layers, const FeatureScaling& scaling,
                       std::int64_t training_rows);

}  // namespace sheaf
