// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "study/key_defaults.hpp"
#include "study/settings_section.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// A model of the kind auto may get hidden layers.
Condition has_hidden_layers() {
  const auto holds = [](const Study& study) {
    return study.model.kind == automatic || !hidden_widths(study.model).empty();
  };
  return {{"model.hidden", "model.kind"}, {}, holds, "there is no hidden dense layer", "model.hidden"};
}

Condition draws_weights() {
  const auto holds = [](const Study& study) {
    const ModelOptions& model = study.model;
    return is_network(model.kind) && model.kind != ModelKind::plugin &&
           !(model.kind == ModelKind::torchscript && model.keep_weights);
  };
  return {{"model.kind", "model.keep_weights"}, {}, holds, "the model has its own initial weights", ""};
}

bool is_share(double value) {
  return value >= 1e-6 && value <= 1;
}

bool is_weight(double value) {
  return value >= 0 && value <= 1e9;
}

// Parameters of XGBoost.
void add_tree_keys(Section<ModelOptions>& model) {
  constexpr std::int64_t most_levels = 30, most_leaves = 1 << 20, most_bins = 1 << 16;
  const auto share = number("number from 1e-6 to 1", is_share);
  const auto weight = number("number from 0 to 1e9", is_weight);
  const auto add = [&](const char* name, auto value, const auto& type, const std::string& meaning) {
    return model.add(name, value, type, "boosted_trees: " + meaning).only_with("model.kind", {"boosted_trees"});
  };
  add("eta", &ModelOptions::eta, share, "learning rate: factor of the values of each new tree.");
  add("max_depth", &ModelOptions::max_depth, integer_or("none", 1, most_levels),
      "most levels of a tree; none: only model.max_leaves limits it.")
      .also_called({"depth"});
  add("max_leaves", &ModelOptions::max_leaves, integer_or("none", 2, most_leaves),
      "most leaves of a tree, which then grows leaf by leaf (XGBoost's grow_policy = lossguide); none: it grows level "
      "by level.")
      .also_called({"num_leaves", "max_leaf_nodes"});
  add("subsample", &ModelOptions::subsample, share, "share of the rows that each tree is grown on.")
      .also_called({"bagging_fraction"});
  add("colsample_bytree", &ModelOptions::colsample_bytree, share, "share of the columns that a tree may use.")
      .also_called({"feature_fraction"});
  add("colsample_bynode", &ModelOptions::colsample_bynode, share, "share of these columns that each split may use.")
      .also_called({"max_features", "feature_fraction_bynode"});
  add("min_child_weight", &ModelOptions::min_child_weight, weight,
      "least sum of the second derivatives of the loss of the rows in a leaf.");
  add("lambda", &ModelOptions::lambda, weight, "L2 penalty of the values of the leaves.");
  add("alpha", &ModelOptions::alpha, weight, "L1 penalty of the values of the leaves.");
  add("max_bin", &ModelOptions::max_bin, integer(2, most_bins),
      "most intervals into which the values of a column are divided; trees split between them.");
  add("max_cat_to_onehot", &ModelOptions::max_cat_to_onehot, integer(1, most_bins),
      "columns of texts with fewer categories are split into one category and the others, those with more into two "
      "sets "
      "of categories.");
}

}  // namespace

void add_model_keys(std::vector<Setting>& table) {
  Section<ModelOptions> model(table, "model", &Study::model);
  model
      .add(
          "kind", model_source(),
          [](const ModelOptions& options) {
            return ModelSource{options.kind, options.file};
          },
          [](ModelOptions& options, const ModelSource& source) {
            options.kind = source.kind;
            options.file = source.file;
          },
          "Model. auto: cnn for images, mlp for other data; linear: one dense layer; mlp: dense layers; cnn: "
          "convolutions, then dense layers; resnet18, resnet50: "
          "residual networks (He et al. 2016); boosted_trees: gradient-boosted decision trees of XGBoost, one round "
          "per epoch; torchscript: a module saved with torch.jit; plugin: a C++ module "
          "(jobs/plugin). In a study file, the module is relative to its folder.",
          Decides::results, PathKind::input)
      .also_called({"model", "architecture", "arch", "estimator", "model_type"})
      .values_also_called({{"dense", "mlp"},
                           {"xgboost", "boosted_trees"},
                           {"xgb", "boosted_trees"},
                           {"gbtree", "boosted_trees"},
                           {"gbdt", "boosted_trees"},
                           {"gbt", "boosted_trees"},
                           {"trees", "boosted_trees"},
                           {"lightgbm", "boosted_trees"},
                           {"catboost", "boosted_trees"}});
  model
      .add("hidden", &ModelOptions::hidden, or_auto(layer_widths()),
           "mlp, cnn: widths of the hidden dense layers; auto: 128 for an mlp, none for a cnn.")
      .only_with("model.kind", {"mlp", "cnn", "auto"})
      .also_called({"layers", "hidden_layer_sizes", "hidden_units", "hidden_layers", "hidden_size", "hidden_sizes",
                    "hidden_dim", "hidden_dims", "layer_sizes", "units", "n_hidden", "neurons"});
  model
      .add("channels", &ModelOptions::channels, or_auto(layer_widths()),
           "cnn: output channels of each convolution. Each convolution also halves the image. auto: 16, then 32 64 "
           "128 128 ... as long "
           "as the shorter side stays at least 4 pixels.")
      .only_with("model.kind", {"cnn", "auto"})
      .also_called({"filters", "out_channels"});
  model.add("kernel", &ModelOptions::kernel, odd_integer(1, 99), "cnn: side length of the kernels, in pixels.")
      .only_with("model.kind", {"cnn", "auto"})
      .also_called({"kernel_size"});
  model
      .add("stem", &ModelOptions::stem, choice_or_auto<Stem>({{"small", Stem::small}, {"imagenet", Stem::imagenet}}),
           "resnet: first layers. imagenet: 7x7 convolution with stride 2 and max pooling, as in torchvision; small: "
           "3x3 convolution with stride 1, without pooling, as for CIFAR; auto: small if the shorter image side is "
           "less than 64 pixels.")
      .only_with("model.kind", {"resnet18", "resnet50"});
  model
      .add("embedding", &ModelOptions::embedding,
           choice<Embedding>({{"none", Embedding::none}, {"piecewise", Embedding::piecewise}}),
           "mlp, linear: what the first dense layer gets for each number of a row. none: the number, scaled; "
           "piecewise: 8 trained piecewise linear functions of it, which bend at up to 49 quantiles of the training "
           "rows (Gorishniy et al. 2022).")
      .only_with("model.kind", {"mlp", "linear", "auto"})
      .also_called({"num_embeddings", "numerical_embeddings", "num_embedding", "ple"})
      .values_also_called({{"ple", "piecewise"}, {"piecewise_linear", "piecewise"}});
  model
      .add("categories", &ModelOptions::categories,
           choice<CategoryEncoding>(
               {{"one_hot", CategoryEncoding::one_hot}, {"embedding", CategoryEncoding::embedding}}),
           fmt::format(
               "mlp: what the first dense layer gets for each column of texts. one_hot: one input for each "
               "category, 1 in its rows and 0 in others; embedding: 8 trained numbers for each category, if the "
               "column has more than {} categories, otherwise as one_hot. Linear models always have one input for "
               "each category.",
               max_one_hot_categories))
      .only_with("model.kind", {"mlp", "auto"})
      .also_called({"cat_embeddings", "entity_embeddings", "categorical_encoding", "category_encoding"})
      .values_also_called({{"onehot", "one_hot"}, {"one-hot", "one_hot"}, {"entity", "embedding"}});
  model
      .add("activation", &ModelOptions::activation, choice<Activation>(choices_of(activation_table)),
           "Activation after each layer except the last; resnet: wherever the original network has ReLU. All have "
           "PyTorch's "
           "default options, such as the slope 0.01 of leaky_relu.")
      .only_with("model.kind", {"mlp", "cnn", "resnet18", "resnet50", "auto"})
      .also_called({"activation_function", "nonlinearity"})
      .values_also_called(other_names_of(activation_table));
  model
      .add("norm", &ModelOptions::norm,
           choice<Norm>({{"none", Norm::none}, {"layer", Norm::layer}, {"batch", Norm::batch}}),
           "mlp, cnn: normalization after each hidden dense layer, before the activation, with the default options of "
           "PyTorch. layer: layer normalization (LayerNorm); batch: batch normalization (BatchNorm1d, BatchNorm2d), "
           "also after each convolution; these layers have no bias. After dense layers, a last batch of one row leaves "
           "the running statistics unchanged.")
      .only_with("model.kind", {"mlp", "cnn", "auto"})
      .also_called({"norm_layer"});
  model
      .add("dropout", &ModelOptions::dropout, number(below_one_in_words, is_below_one),
           "Dropout probability after each hidden dense layer.")
      .only_with("model.kind", {"mlp", "cnn", "auto"})
      .only_if(has_hidden_layers())
      .also_called({"dropout_rate", "drop_rate", "dropout_prob"});
  model.add("bias", &ModelOptions::bias, flag(), "Layers have a bias; resnet: the dense layer only.")
      .only_with("model.kind", {"mlp", "linear", "cnn", "resnet18", "resnet50", "auto"})
      .also_called({"fit_intercept", "use_bias"});
  model
      .add("initialization", &ModelOptions::initialization,
           choice<Initialization>({{"pytorch", Initialization::pytorch},
                                   {"glorot", Initialization::glorot},
                                   {"he", Initialization::he},
                                   {"zeros", Initialization::zeros}}),
           "Initial weights: the defaults of PyTorch, Glorot uniform (as in Keras), He, or zeros. Norms start "
           "with weight 1 and bias 0.")
      .only_if(draws_weights())
      .also_called({"initialisation", "init", "initializer", "kernel_initializer", "weight_init"})
      .values_also_called({{"xavier", "glorot"},
                           {"xavier_uniform", "glorot"},
                           {"glorot_uniform", "glorot"},
                           {"kaiming", "he"},
                           {"kaiming_uniform", "he"},
                           {"he_uniform", "he"}});
  model
      .add("keep_weights", &ModelOptions::keep_weights, flag(),
           "torchscript: each iteration starts from the weights in the file instead of new random ones.")
      .only_with("model.kind", {"torchscript:FILE.pt"});
  add_tree_keys(model);
}

}  // namespace sheaf
