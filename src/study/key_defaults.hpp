// Defaults of keys that follow from other keys of a trial. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/model_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// train.learning_rate; auto: 0.01 for sgd, 0.001 for the other optimizers, as in Keras.
double initial_learning_rate(const TrainOptions& train);

/// model.hidden; auto: one layer of 128 for an mlp, none for a cnn.
std::vector<std::int64_t> hidden_widths(const ModelOptions& model);

}  // namespace sheaf
