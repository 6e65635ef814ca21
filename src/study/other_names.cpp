// SPDX-License-Identifier: MIT
#include "study/other_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.hpp"

namespace sheaf {
namespace {

// Longer texts are not typing errors: they are not compared with known names, which would take time and memory.
constexpr std::size_t longest_typo = 100;

constexpr const char* no_batch_norm =
    "Sheaf has batch normalization only in its ResNets. model.norm = layer is layer normalization, for MLPs.";

std::string first_part(const std::string& key) {
  return key.substr(0, key.find('.'));
}

// The last part of a key, also of "classifier__alpha" as in scikit-learn, in the spelling of the tables.
std::string last_part(const std::string& key) {
  std::string part = key.substr(key.rfind('.') + 1);
  if (const std::size_t step = part.rfind("__"); step != part.npos) part = part.substr(step + 2);
  part = lower_case(part);
  std::replace(part.begin(), part.end(), '-', '_');
  return part;
}

// Whether a key is a searched one, such as search.train.epochs.
bool is_searched_key(const std::string& name) {
  return std::count(name.begin(), name.end(), '.') > 1;
}

// The name in `known` that `key` has there: the searched key if `word` is in [search], the key, or an option with the
// name of its last part. Empty if there is none.
std::string known_name_of(const std::string& key, const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> candidates = {key, key.substr(key.find('.') + 1)};
  if (first_part(word) == "search") candidates.insert(candidates.begin(), "search." + key);
  for (const auto& candidate : candidates)
    if (std::find(known.begin(), known.end(), candidate) != known.end()) return candidate;
  return "";
}

// Commands that read several kinds of files have one option for the targets of CSV files and one for those of others.
bool is_targets_option(const std::string& name, const std::vector<std::string>& known) {
  return last_part(name) == "targets" && std::find(known.begin(), known.end(), "label") != known.end();
}

std::string targets_options(const std::string& name, const std::string& dashes) {
  return fmt::format(" Use {0}label for CSV files, or {0}{1} for other files.", dashes, name);
}

// The entry of the table of other names for a word; one with the section of the word comes first. Null: none.
const OtherName* other_name_of(const std::string& word) {
  const std::string part = last_part(word), with_section = first_part(lower_case(word)) + "." + part;
  const auto named = [](const std::string& name) {
    const auto& names = other_names();
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const OtherName& other) { return other.word == name; });
    return found == names.end() ? nullptr : &*found;
  };
  const OtherName* own = named(with_section);
  return own != nullptr ? own : named(part);
}

// The sentence for a word of the table of other names.
std::string other_name_hint(const std::string& word, const std::vector<std::string>& known, const std::string& dashes) {
  const OtherName* other = other_name_of(word);
  if (other == nullptr) return "";
  if (other->key.empty()) return fmt::format(" {}", other->note);
  const std::string name = known_name_of(std::string(other->key), word, known);
  if (name.empty()) return "";
  if (is_targets_option(name, known)) return targets_options(name, dashes);
  return fmt::format(" Use {}{}{}.", dashes, name, other->note);
}

// The name in `known` that is most similar to `word`. The last parts must also be similar: in "train.ema" and
// "train.beta1" only the section is.
std::string similar_name(const std::string& word, const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  return nearest.empty() || nearest_name(last_part(word), {last_part(nearest)}).empty() ? "" : nearest;
}

// The names in `known` with the same last part as `word`: only those of its section if there are any, and searched keys
// only if there are no others.
std::vector<std::string> namesakes_of(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string> namesakes;
  for (const auto& name : known)
    if (last_part(name) == last_part(word)) namesakes.push_back(name);
  const auto keep = [&](const auto& is_preferred) {
    if (std::any_of(namesakes.begin(), namesakes.end(), is_preferred))
      namesakes.erase(std::stable_partition(namesakes.begin(), namesakes.end(), is_preferred), namesakes.end());
  };
  keep([&](const std::string& name) { return first_part(name) == first_part(word); });
  keep([](const std::string& name) { return !is_searched_key(name); });
  return namesakes;
}

}  // namespace

const std::vector<OtherName>& other_names() {
  static const std::vector<OtherName> names = {
      {"lr", "train.learning_rate", ""},
      {"learning_rate_init", "train.learning_rate", ""},
      {"init_lr", "train.learning_rate", ""},
      {"eta", "train.learning_rate", ""},
      {"eta0", "train.learning_rate", ""},
      {"max_iter", "train.epochs", ""},
      {"n_epochs", "train.epochs", ""},
      {"num_epochs", "train.epochs", ""},
      {"nb_epoch", "train.epochs", ""},
      {"nb_epochs", "train.epochs", ""},
      {"max_epochs", "train.epochs", ""},
      {"n_epoch", "train.epochs", ""},
      {"num_train_epochs", "train.epochs", ""},
      {"batch", "train.batch_size", ""},
      {"batchsize", "train.batch_size", ""},
      {"minibatch_size", "train.batch_size", ""},
      {"mini_batch_size", "train.batch_size", ""},
      {"solver", "train.optimizer", ""},
      {"optim", "train.optimizer", ""},
      {"optimiser", "train.optimizer", ""},
      {"nesterovs_momentum", "train.nesterov", ""},
      {"use_nesterov", "train.nesterov", ""},
      {"l2", "train.weight_decay", ""},
      {"l2_reg", "train.weight_decay", ""},
      {"l2_regularization", "train.weight_decay", ""},
      {"lambda", "train.weight_decay", ""},
      {"reg_lambda", "train.weight_decay", ""},
      {"decay", "train.weight_decay", " for an L2 penalty (train.learning_rate is constant)"},
      {"beta_1", "train.beta1", ""},
      {"beta_2", "train.beta2", ""},
      {"eps", "train.epsilon", ""},
      {"adam_epsilon", "train.epsilon", ""},
      {"rho", "train.alpha", ""},
      {"objective", "train.loss", ""},
      {"criterion", "train.loss", ""},
      {"loss_function", "train.loss", ""},
      {"loss_fn", "train.loss", ""},
      {"dtype", "train.precision", ""},
      {"amp", "train.precision", ""},
      {"mixed_precision", "train.precision", ""},
      {"bf16", "train.precision", ""},
      {"n_estimators", "ensemble.members", ""},
      {"num_boost_round", "ensemble.members", ""},
      {"n_models", "ensemble.members", ""},
      {"num_models", "ensemble.members", ""},
      {"ensemble_size", "ensemble.members", ""},
      {"bagging", "ensemble.bootstrap", ""},
      {"cv", "search.folds", ""},
      {"n_splits", "search.folds", ""},
      {"kfold", "search.folds", ""},
      {"k_fold", "search.folds", ""},
      {"kfolds", "search.folds", ""},
      {"k_folds", "search.folds", ""},
      {"n_folds", "search.folds", ""},
      {"num_folds", "search.folds", ""},
      {"nfold", "search.folds", ""},
      {"nfolds", "search.folds", ""},
      {"n_repeats", "search.repeats", ""},
      {"num_repeats", "search.repeats", ""},
      {"scoring", "search.metric", ""},
      {"eval_metric", "search.metric", ""},
      {"score_function", "search.metric", ""},
      {"sampler", "search.method", ""},
      {"search_method", "search.method", ""},
      {"model", "model.kind", ""},
      {"architecture", "model.kind", ""},
      {"arch", "model.kind", ""},
      {"estimator", "model.kind", ""},
      {"model_type", "model.kind", ""},
      {"layers", "model.hidden", ""},
      {"hidden_layer_sizes", "model.hidden", ""},
      {"hidden_units", "model.hidden", ""},
      {"hidden_layers", "model.hidden", ""},
      {"hidden_size", "model.hidden", ""},
      {"hidden_sizes", "model.hidden", ""},
      {"hidden_dim", "model.hidden", ""},
      {"hidden_dims", "model.hidden", ""},
      {"layer_sizes", "model.hidden", ""},
      {"units", "model.hidden", ""},
      {"n_hidden", "model.hidden", ""},
      {"neurons", "model.hidden", ""},
      {"filters", "model.channels", ""},
      {"out_channels", "model.channels", ""},
      {"kernel_size", "model.kernel", ""},
      {"activation_function", "model.activation", ""},
      {"nonlinearity", "model.activation", ""},
      {"dropout_rate", "model.dropout", ""},
      {"drop_rate", "model.dropout", ""},
      {"dropout_prob", "model.dropout", ""},
      {"fit_intercept", "model.bias", ""},
      {"use_bias", "model.bias", ""},
      {"initialisation", "model.initialization", ""},
      {"init", "model.initialization", ""},
      {"initializer", "model.initialization", ""},
      {"kernel_initializer", "model.initialization", ""},
      {"weight_init", "model.initialization", ""},
      {"normalise", "data.normalize", ""},
      {"normalisation", "data.normalize", ""},
      {"normalization", "data.normalize", ""},
      {"scaler", "data.normalize", ""},
      {"scaling", "data.normalize", ""},
      {"standardize", "data.normalize", ""},
      {"standardise", "data.normalize", ""},
      {"validation_split", "data.validation", ""},
      {"test_size", "data.validation", ""},
      {"validation_fraction", "data.validation", ""},
      {"validation_size", "data.validation", ""},
      {"val_split", "data.validation", ""},
      {"val_size", "data.validation", ""},
      {"test_split", "data.validation", ""},
      {"n_classes", "data.classes", ""},
      {"num_classes", "data.classes", ""},
      {"num_class", "data.classes", ""},
      {"x", "data.features", ""},
      {"inputs", "data.features", ""},
      {"y", "data.targets", ""},
      {"label", "data.targets", ""},
      {"labels", "data.targets", ""},
      {"target", "data.targets", ""},
      {"sample_weight", "data.weights", ""},
      {"sample_weights", "data.weights", ""},
      {"dataset", "data.file", ""},
      {"data_file", "data.file", ""},
      {"data_path", "data.file", ""},
      {"train_file", "data.file", ""},
      {"path", "data.file", ""},
      {"input_shape", "data.image", ""},
      {"image_size", "data.image", ""},
      {"img_size", "data.image", ""},
      {"data_format", "data.channels", ""},
      {"prefetch", "data.read_ahead", ""},
      {"prefetch_factor", "data.read_ahead", ""},
      {"shuffle_buffer", "data.window", ""},
      {"buffer_size", "data.window", ""},
      {"random_state", "study.seed", ""},
      {"random_seed", "study.seed", ""},
      {"manual_seed", "study.seed", ""},
      {"rng_seed", "study.seed", ""},
      {"study_name", "study.name", ""},
      {"experiment_name", "study.name", ""},
      {"n_runs", "study.iterations", ""},
      {"num_runs", "study.iterations", ""},
      {"output_dir", "run.output", ""},
      {"out_dir", "run.output", ""},
      {"outdir", "run.output", ""},
      {"log_dir", "run.output", ""},
      {"save_dir", "run.output", ""},
      {"save_path", "run.output", ""},
      {"n_jobs", "run.lanes", ""},
      {"n_workers", "run.lanes", ""},
      {"num_workers", "run.lanes", ""},
      {"workers", "run.lanes", ""},
      {"max_workers", "run.lanes", ""},
      {"nthread", "run.threads", ""},
      {"num_threads", "run.threads", ""},
      {"n_threads", "run.threads", ""},
      {"accelerator", "run.device", ""},
      {"gpus", "run.device", " = cuda, with one rank per GPU"},
      {"n_gpus", "run.device", " = cuda, with one rank per GPU"},
      {"num_gpus", "run.device", " = cuda, with one rank per GPU"},
      {"timeout", "run.time_limit", ""},
      {"time_budget", "run.time_limit", ""},
      {"max_time", "run.time_limit", ""},
      {"walltime", "run.time_limit", ""},
      {"verbose", "run.progress", ""},
      {"verbosity", "run.progress", ""},
      {"history", "run.curves", ""},
      {"return_train_score", "run.curves", ""},
      {"save_model", "run.models", ""},
      {"save_best", "run.models", ""},
      {"save_best_only", "run.models", ""},
      {"save_steps", "run.checkpoint_interval", ""},
      {"save_freq", "run.checkpoint_interval", ""},
      {"error_score", "run.on_failure", ""},
      {"alpha", "train.weight_decay",
       " for an L2 penalty (alpha of scikit-learn, divided by the batch size), or train.alpha with rmsprop"},
      {"betas", "train.beta1", " and train.beta2"},
      {"n_iter", "search.trials", ""},
      {"n_trials", "search.trials", ""},
      {"num_samples", "search.trials", ""},
      {"param_distributions", "",
       "Write a list or a range for each key under [search], for example train.learning_rate = log_uniform(1e-4, "
       "1e-1)."},
      {"param_grid", "",
       "Write the candidates of each key under [search], for example train.learning_rate = 1e-3, 1e-2."},
      {"search_space", "",
       "Write the candidates of each key under [search], for example train.learning_rate = 1e-3, 1e-2."},
      {"refit", "", "Sheaf does not train the best trial again on all rows. run.models = best saves its models."},
      {"early_stopping", "", "Sheaf has no early stopping yet. Training ends after train.epochs."},
      {"early_stopping_rounds", "", "Sheaf has no early stopping yet. Training ends after train.epochs."},
      {"patience", "", "Sheaf has no early stopping yet. Training ends after train.epochs."},
      {"n_iter_no_change", "", "Sheaf has no early stopping yet. Training ends after train.epochs."},
      {"tol", "", "Sheaf has no early stopping yet. Training ends after train.epochs."},
      {"step_size", "train.schedule", ""},
      {"scheduler", "train.schedule", ""},
      {"lr_scheduler", "train.schedule", ""},
      {"lr_schedule", "train.schedule", ""},
      {"learning_rate_schedule", "train.schedule", ""},
      {"learning_rate_decay", "train.schedule", ""},
      {"warmup", "train.warmup_epochs", ""},
      {"warmup_steps", "train.warmup_epochs", ""},
      {"clipnorm", "", "Sheaf has no gradient clipping yet."},
      {"clipvalue", "", "Sheaf has no gradient clipping yet."},
      {"max_grad_norm", "", "Sheaf has no gradient clipping yet."},
      {"gradient_clip_val", "", "Sheaf has no gradient clipping yet."},
      {"grad_clip", "", "Sheaf has no gradient clipping yet."},
      {"l1", "", "Sheaf has no L1 penalty yet. train.weight_decay is an L2 penalty."},
      {"l1_ratio", "", "Sheaf has no L1 penalty yet. train.weight_decay is an L2 penalty."},
      {"reg_alpha", "", "Sheaf has no L1 penalty yet. train.weight_decay is an L2 penalty."},
      {"class_weight", "", "Sheaf has no class weights yet. data.weights has the weight of each row."},
      {"class_weights", "", "Sheaf has no class weights yet. data.weights has the weight of each row."},
      {"ema", "", "Sheaf has no averaging of weights yet."},
      {"swa", "", "Sheaf has no averaging of weights yet."},
      {"pretrained", "",
       "Sheaf has no pretrained models. model.kind = torchscript:FILE.pt with model.keep_weights = true starts from "
       "the "
       "weights of a file."},
      {"model.weights", "",
       "Sheaf has no pretrained models. model.kind = torchscript:FILE.pt with model.keep_weights = true starts from "
       "the "
       "weights of a file."},
      {"augment", "", "Sheaf has no augmentation of images yet."},
      {"augmentation", "", "Sheaf has no augmentation of images yet."},
      {"transform", "", "Sheaf has no augmentation of images yet. `sheaf preprocess` resizes and scales images."},
      {"transforms", "", "Sheaf has no augmentation of images yet. `sheaf preprocess` resizes and scales images."},
      {"pin_memory", "", "Sheaf has no such key; it copies data to GPUs without one."},
      {"data.num_workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"data.n_workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"data.workers", "",
       "Sheaf reads data without worker processes. run.lanes is the number of models that a rank trains at a time."},
      {"label_smoothing", "", "Sheaf has no label smoothing yet."},
      {"stratify", "", "Sheaf always stratifies the folds of a classification."},
      {"pruner", "", "Set search.method = halving to stop bad trials early."},
      {"direction", "", "Sheaf has no such key. search.metric determines whether higher or lower is better."},
      {"warm_start", "", "Sheaf has no warm start yet. `sheaf resume` continues a run."},
      {"layer_norm", "model.norm", "=layer"},
      {"layernorm", "model.norm", "=layer"},
      {"layer_normalization", "model.norm", "=layer"},
      {"norm_layer", "model.norm", ""},
      {"batch_norm", "", no_batch_norm},
      {"batch_normalization", "", no_batch_norm},
      {"max_depth", "", "Sheaf trains neural networks, not trees."},
      {"num_leaves", "", "Sheaf trains neural networks, not trees."},
      {"min_child_weight", "", "Sheaf trains neural networks, not trees."},
      {"min_samples_leaf", "", "Sheaf trains neural networks, not trees."},
      {"colsample_bytree", "", "Sheaf trains neural networks, not trees."},
  };
  return names;
}

const std::vector<OtherValue>& other_values() {
  static const std::vector<OtherValue> values = {
      {"data.mode", "resident", "memory"},
      {"run.engine", "resident", "native"},
      {"train.loss", "mean_squared_error", "mse"},
      {"train.loss", "squared_error", "mse"},
      {"train.loss", "mseloss", "mse"},
      {"train.loss", "l2", "mse"},
      {"train.loss", "crossentropy", "cross_entropy"},
      {"train.loss", "categorical_crossentropy", "cross_entropy"},
      {"train.loss", "sparse_categorical_crossentropy", "cross_entropy"},
      {"train.loss", "crossentropyloss", "cross_entropy"},
      {"train.loss", "log_loss", "cross_entropy"},
      {"train.loss", "softmax", "cross_entropy"},
      {"train.loss", "binary_crossentropy", "bce"},
      {"train.loss", "binary_cross_entropy", "bce"},
      {"train.loss", "bceloss", "bce"},
      {"train.loss", "bcewithlogitsloss", "bce"},
      {"model.activation", "logistic", "sigmoid"},
      {"model.activation", "swish", "silu"},
      {"model.initialization", "xavier", "glorot"},
      {"model.initialization", "xavier_uniform", "glorot"},
      {"model.initialization", "glorot_uniform", "glorot"},
      {"model.initialization", "kaiming", "he"},
      {"model.initialization", "kaiming_uniform", "he"},
      {"model.initialization", "he_uniform", "he"},
      {"data.normalize", "standardscaler", "standard"},
      {"data.normalize", "standardize", "standard"},
      {"data.normalize", "zscore", "standard"},
      {"data.normalize", "z_score", "standard"},
      {"data.normalize", "minmaxscaler", "minmax"},
      {"data.normalize", "robustscaler", "robust"},
      {"data.normalize", "quantile", "robust"},
      {"data.normalize", "min_max", "minmax"},
      {"search.metric", "auto", "loss"},
      {"search.metric", "acc", "accuracy"},
      {"search.metric", "r2_score", "r2"},
      {"search.metric", "neg_log_loss", "log_loss"},
      {"search.metric", "auc", "roc_auc"},
      {"search.metric", "roc_auc_ovr", "roc_auc"},
      {"search.metric", "f1", "f1_macro"},
      {"search.metric", "mean_absolute_error", "mae"},
      {"search.metric", "neg_mean_absolute_error", "mae"},
      {"search.method", "grid_search", "grid"},
      {"search.method", "gridsearchcv", "grid"},
      {"search.method", "gridsampler", "grid"},
      {"search.method", "random_search", "random"},
      {"search.method", "randomizedsearchcv", "random"},
      {"search.method", "randomsampler", "random"},
      {"train.schedule", "cosineannealinglr", "cosine"},
      {"train.schedule", "cosine_annealing", "cosine"},
      {"train.schedule", "reducelronplateau", "plateau"},
      {"train.schedule", "reduce_on_plateau", "plateau"},
      {"train.precision", "fp32", "float32"},
      {"train.precision", "float", "float32"},
      {"train.precision", "fp64", "float64"},
      {"train.precision", "double", "float64"},
      {"train.precision", "bf16", "bfloat16"},
      {"run.device", "gpu", "cuda"},
      {"model.kind", "dense", "mlp"},
  };
  return values;
}

std::string unknown_name_hint(const std::string& word, const std::vector<std::string>& known,
                              const std::string& dashes) {
  if (word.size() > longest_typo) return "";
  if (const std::string hint = other_name_hint(word, known, dashes); !hint.empty()) return hint;
  std::vector<std::string> meant = namesakes_of(word, known);
  if (meant.empty()) meant.push_back(similar_name(word, known));
  if (meant.front().empty()) return "";
  if (is_targets_option(meant.front(), known)) return targets_options(meant.front(), dashes);
  for (auto& name : meant) name = fmt::format("'{}{}'", dashes, name);
  return fmt::format(" Did you mean {}?", fmt::join(meant, " or "));
}

std::string unknown_value_hint(const std::string& key, const std::string& word, const std::vector<std::string>& names) {
  if (word.size() > longest_typo) return "";
  for (const auto& other : other_values())
    if (other.key == key && other.word == lower_case(word)) return fmt::format(" Use {}.", other.value);
  return did_you_mean(word, names);
}

}  // namespace sheaf
