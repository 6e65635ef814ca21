// The section [model] of a study: the network or other model. `auto` and nullopt are replaced before a plan is
// made (commands/train/prepare/data_defaults), unless a comment states otherwise.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/activations.hpp"
#include "study/auto_or.hpp"

namespace sheaf {

enum class ModelKind { linear, mlp, cnn, resnet18, resnet50, torchscript, plugin, boosted_trees };
/// Whether the model gets rows as images if they are images; true for `auto`, which may become a cnn.
constexpr bool takes_images(AutoOr<ModelKind> kind) {
  return kind != ModelKind::linear && kind != ModelKind::mlp && kind != ModelKind::boosted_trees;
}
/// Whether the model is a network, which an optimizer trains on batches of rows; true for `auto`.
constexpr bool is_network(AutoOr<ModelKind> kind) {
  return kind != ModelKind::boosted_trees;
}
/// Whether the network is a module of the user, with layers that are not known.
constexpr bool is_user_module(AutoOr<ModelKind> kind) {
  return kind == ModelKind::torchscript || kind == ModelKind::plugin;
}
constexpr bool is_residual(AutoOr<ModelKind> kind) {
  return kind == ModelKind::resnet18 || kind == ModelKind::resnet50;
}
/// The ending of the names of model files.
constexpr const char* model_file_ending(AutoOr<ModelKind> kind) {
  return is_network(kind) ? ".pt" : ".json";
}
/// First layers of a residual network. auto: by the image size (models/resnet_layout).
enum class Stem { small, imagenet };
enum class Norm { none, layer, batch };
enum class Initialization { pytorch, glorot, he, zeros };
/// How numbers become the inputs of the first dense layer.
enum class Embedding { none, piecewise };
/// How columns of texts do, in an mlp.
enum class CategoryEncoding { one_hot, embedding };
/// With CategoryEncoding::embedding, columns with at most this many categories are still one-hot encoded. Source:
/// RealMLP (Holzmueller et al., "Better by Default", NeurIPS 2024).
inline constexpr std::int64_t max_one_hot_categories = 9;

struct ModelOptions {
  AutoOr<ModelKind> kind;
  std::string file;  ///< torchscript, plugin: file
  /// mlp, cnn: widths of the hidden dense layers. nullopt: hidden_widths() in study/key_defaults.
  std::optional<std::vector<std::int64_t>> hidden;
  std::optional<std::vector<std::int64_t>> channels;          ///< cnn: output channels of each convolution
  std::int64_t kernel = 3;                                    ///< cnn: kernel size, odd
  AutoOr<Stem> stem;                                          ///< resnet18, resnet50
  Embedding embedding = Embedding::none;                      ///< mlp, linear
  CategoryEncoding categories = CategoryEncoding::embedding;  ///< mlp
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

/// Whether the first layer encodes the features of a row, if they are not plain numbers.
constexpr bool encodes_features(const ModelOptions& model) {
  return model.kind == ModelKind::linear || model.kind == ModelKind::mlp;
}
constexpr bool embeds_numbers(const ModelOptions& model) {
  return encodes_features(model) && model.embedding != Embedding::none;
}
constexpr bool embeds_categories(const ModelOptions& model) {
  return model.kind == ModelKind::mlp && model.categories == CategoryEncoding::embedding;
}

}  // namespace sheaf
