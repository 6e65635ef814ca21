// SPDX-License-Identifier: MIT
#include "training/stack_shape.hpp"

#include <tuple>

#include "training/batches.hpp"

namespace sheaf {
namespace {

// The functions below list all members of a struct, so that a new one must choose its side: it goes into the shape, or
// it may differ between the models of a stack.

auto members(const StackShape& shape) {
  const auto& [layers, activation, has_dropout, loss, quantiles, reduction, optimizer, clips_norm, clips_values, has_l1,
               average, precision, scales_features, clips_features, weighs_classes, batch_rows, epoch_batches] = shape;
  return std::tie(layers, activation, has_dropout, loss, quantiles, reduction, optimizer, clips_norm, clips_values,
                  has_l1, average, precision, scales_features, clips_features, weighs_classes, batch_rows,
                  epoch_batches);
}

void add(const ModelOptions& model, StackShape& shape) {
  const auto& [kind, file, hidden, channels, kernel, stem, embedding, categories, activation, norm, dropout, bias,
               initialization, keep_weights, eta, max_depth, max_leaves, subsample, colsample_bytree, colsample_bynode,
               min_child_weight, lambda, alpha, max_bin, max_cat_to_onehot] = model;
  shape.activation = activation;
  shape.has_dropout = dropout > 0;
}

void add(const TrainOptions& train, StackShape& shape) {
  const auto& [epochs, batch_size, shuffle, loss, huber_delta, label_smoothing, quantiles, reduction, class_weights,
               optimizer, learning_rate, schedule, warmup_epochs, plateau_factor, plateau_patience, step_factor,
               step_epochs, exponential_factor, patience, min_change, stop_on, stop_fraction, best_weights, clip_norm,
               clip_value, l1, average, average_decay, momentum, nesterov, weight_decay, beta1, beta2, alpha, epsilon,
               precision] = train;
  shape.loss = loss;
  shape.quantiles = quantiles_of(train);
  shape.reduction = reduction;
  shape.weighs_classes = class_weights.any();
  shape.optimizer = optimizer == OptimizerKind::adamw ? OptimizerKind::adam : optimizer;
  shape.clips_norm = clip_norm > 0;
  shape.clips_values = clip_value > 0;
  shape.has_l1 = l1 > 0;
  shape.average = average;
  shape.precision = precision;
}

}  // namespace

bool operator==(const StackShape& one, const StackShape& other) {
  return members(one) == members(other);
}

StackShape stack_shape(const Trial& trial, const std::vector<Layer>& layers, const FeatureScaling& scaling,
                       std::int64_t training_rows) {
  StackShape shape;
  shape.layers = layers;
  add(trial.model, shape);
  add(trial.train, shape);
  shape.scales_features = !scaling.shift.empty();
  shape.clips_features = !scaling.clip.empty();
  shape.batch_rows = batch_rows(trial.train, training_rows);
  shape.epoch_batches = epoch_steps(trial.train, training_rows);
  return shape;
}

}  // namespace sheaf
