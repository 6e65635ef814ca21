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
struct TrainedModel {
  ModelDescription description;
  NetworkState network;    ///< read back only of dense layers
  FeatureScaling scaling;  ///< of the features
};

/// A model as its file holds it.
struct LoadedModel {
  std::string path;
  std::optional<TrainedModel> trained;         ///< what its record says, where it has one
  std::shared_ptr<torch::jit::Module> module;  ///< null where the resident engine does without
};

}  // namespace sheaf
