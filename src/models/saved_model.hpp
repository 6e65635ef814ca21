// What is known of a trained model, in memory and as its file holds it. Free of torch.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/splits.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"
#include "study/study.hpp"

namespace torch::jit {
struct Module;
}

namespace sheaf {

/// What a model file of ours says of its model.
struct ModelDescription {
  ModelOptions model;
  Task task = Task::regression;
  LossKind loss = LossKind::mse;
  DataShape shape;  ///< that it was laid out for; `rows` is of no meaning
};

/// A network with what it learned.
struct SavedModel {
  ModelDescription description;
  NetworkState network;    ///< read back only of dense layers
  FeatureScaling scaling;  ///< of the features
};

/// A model as its file holds it.
struct OpenedModel {
  std::string path;
  std::optional<SavedModel> trained;           ///< what its result says, where it has one
  std::shared_ptr<torch::jit::Module> module;  ///< null where the native engine does without
};

}  // namespace sheaf
