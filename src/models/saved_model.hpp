// Saved models: a trained network with its description and scaling. Does not include LibTorch.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/data_description.hpp"
#include "data/splits.hpp"
#include "models/network_layout.hpp"
#include "models/network_state.hpp"
#include "study/data_options.hpp"
#include "study/losses.hpp"
#include "study/model_options.hpp"

namespace torch::jit {
struct Module;
}

namespace sheaf {

/// The description of a model in a model file written by this program.
struct ModelDescription {
  ModelOptions model;
  Task task = Task::regression;
  LossFunction loss;
  DataShape shape;                              ///< shape of the data that it was trained for; `rows` is not used
  DataDescription data;                         ///< the data that it was trained for
  std::vector<double> quantiles{};              ///< of the outputs, with the loss quantile
  std::optional<std::string> plugin_content{};  ///< content_fingerprint() of the plugin; nullopt: the model has none
};

/// A trained network with its description and scaling.
struct SavedModel {
  ModelDescription description;
  NetworkState network;    ///< after reading a file: set if works_on_rows()
  FeatureScaling scaling;  ///< scaling of the features, after offsets were subtracted
};

/// A model file, opened for prediction.
struct OpenedModel {
  std::string path;
  std::optional<SavedModel> trained;           ///< the saved model record, if the file has one
  std::shared_ptr<torch::jit::Module> module;  ///< null if the native engine or a plugin evaluates the model
  std::vector<std::string> plugin_tensors{};   ///< the values of the tensors of a plugin's module, instead of `module`
  std::vector<double> output_offsets{};        ///< predictors subtract them from the outputs; empty: none
};

/// Whether empty cells (NaN) are values like others for the model, so that they must not be filled. Pure.
inline bool takes_empty_cells(const OpenedModel& model) {
  return model.trained && !is_network(model.trained->description.model.kind);
}

}  // namespace sheaf
