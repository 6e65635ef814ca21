// The section [model] of a study: the network or other model. `automatic` and nullopt are replaced before a plan is
// made (commands/train/prepare/data_defaults), unless a comment states otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/activations.hpp"

namespace sheaf {

enum class ModelKind { automatic, linear, mlp, cnn, resnet18, resnet50, torchscript, plugin, boosted_trees };
/// Whether the model gets rows as images if they are images.
constexpr bool takes_images(ModelKind kind) {
  return kind != ModelKind::linear && kind != ModelKind::mlp && kind != ModelKind::boosted_trees;
}
/// Whether the model is a network, which an optimizer trains on batches of rows.
constexpr bool is_network(ModelKind kind) {
  return kind != ModelKind::boosted_trees;
}
/// Whether the network is a module of the user, with layers that are not known.
constexpr bool is_user_module(ModelKind kind) {
  return kind == ModelKind::torchscript || kind == ModelKind::plugin;
}
constexpr bool is_residual(ModelKind kind) {
  return kind == ModelKind::resnet18 || kind == ModelKind::resnet50;
}
/// The ending of the names of model files.
constexpr const char* model_file_ending(ModelKind kind) {
  return is_network(kind) ? ".pt" : ".json";
}
/// First layers of a residual network. automatic: by the image size (models/resnet_layout).
enum class Stem { automatic, small, imagenet };
enum class Norm { none, layer, batch };
enum class Initialization { pytorch, glorot, he, zeros };
/// How numbers become the inputs of the first dense layer.
enum class Embedding { none, piecewise };

struct ModelOptions {
  ModelKind kind = ModelKind::automatic;
  std::string file;  ///< torchscript, plugin: file
  /// mlp, cnn: widths of the hidden dense layers. nullopt: hidden_widths() in study/key_defaults.
  std::optional<std::vector<std::int64_t>> hidden;
  std::optional<std::vector<std::int64_t>> channels;  ///< cnn: output channels of each convolution
  std::int64_t kernel = 3;                            ///< cnn: kernel size, odd
  Stem stem = Stem::automatic;                        ///< resnet18, resnet50
  Embedding embedding = Embedding::none;              ///< mlp, linear
  Activation activation = Activation::relu;
  Norm norm = Norm::none;  ///< mlp, cnn: after each hidden dense layer, before the activation; batch: and convolution
  double dropout = 0;      ///< dropout rate after each hidden layer
  bool bias = true;
  Initialization initialization = Initialization::pytorch;
  bool keep_weights = false;  ///< torchscript: every iteration starts from the weights in the file
  // boosted_trees: parameters of XGBoost, with its names. The defaults are good for small and middle-sized tables.
  double eta = 0.06;
  std::int64_t max_depth = 5;   ///< 0: no limit
  std::int64_t max_leaves = 0;  ///< 0: no limit, trees grow level by level; otherwise leaf by leaf
  double subsample = 0.9;
  double colsample_bytree = 1;
  double colsample_bynode = 0.5;
  double min_child_weight = 0.01;
  double lambda = 0.1;
  double alpha = 0;
  std::int64_t max_bin = 256;
  std::int64_t max_cat_to_onehot = 1000;
};

/// Whether the network begins with an embedding.
constexpr bool embeds(const ModelOptions& model) {
  return model.embedding != Embedding::none && (model.kind == ModelKind::linear || model.kind == ModelKind::mlp);
}

}  // namespace sheaf
