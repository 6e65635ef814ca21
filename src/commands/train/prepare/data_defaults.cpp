// SPDX-License-Identifier: MIT
#include "commands/train/prepare/data_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "commands/train/prepare/rank_agreement.hpp"
#include "commands/train/prepare/start_trials.hpp"
#include "commands/train/prepare/study_data.hpp"
#include "commands/train/prepare/table_search.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/quoted.hpp"
#include "data/split_sizes.hpp"
#include "engines/used_engines.hpp"
#include "models/network_layout.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/settings.hpp"
#include "study/value_types.hpp"
#include "training/batches.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

template <class Condition>
bool any_kind(const Study& study, const Condition& condition) {
  const auto kinds = model_kinds(study);
  return std::any_of(kinds.begin(), kinds.end(), condition);
}

bool any_loss_is(const Study& study, bool (Loss::*property)() const) {
  const auto losses = losses_of(study);
  return std::any_of(losses.begin(), losses.end(), [=](const Loss* loss) { return (loss->*property)(); });
}

Task task_of(const DataOptions& options, const std::optional<FileSchema>& file) {
  if (file && file->coding == TargetCoding::multilabel) return Task::multilabel;
  return options.classes > 0 || (file && file->has_classes()) ? Task::classification : Task::regression;
}

std::int64_t shorter_side(const ImageShape& image) {
  return image.channels == 0 ? 0 : std::min(image.height, image.width);
}

ModelKind kind_of(const ModelOptions& model, const ImageShape& image) {
  return model.channels || shorter_side(image) > 1 ? ModelKind::cnn : ModelKind::mlp;
}

// At least one convolution, and more as long as the shorter side, which each of them halves, stays at least 4.
std::vector<std::int64_t> convolution_channels(const ImageShape& image) {
  constexpr std::int64_t min_side = 4, first = 16, max_channels = 128;
  std::vector<std::int64_t> channels = {first};
  for (std::int64_t side = shorter_side(image) / 2; side >= 2 * min_side; side /= 2)
    channels.push_back(std::min(max_channels, 2 * channels.back()));
  return channels;
}

Normalize normalization_of(const Study& study, const std::optional<FileSchema>& file, const ImageShape& image) {
  if (!file || !any_kind(study, is_network) || any_kind(study, is_user_module) ||
      !file->description.preprocessing.empty())
    return Normalize::none;
  if (image.channels == 0) return Normalize::robust;
  return file->has_byte_features() ? Normalize::minmax : Normalize::standard;
}

// The targets are scaled back in the last layer, so it must be known and have a bias. Counts are not scaled.
NormalizeTargets target_normalization_of(const Study& study, const std::optional<FileSchema>& file) {
  const bool scalable = file && !any_loss_is(study, &Loss::needs_counts) && study.data.task == Task::regression &&
                        !any_kind(study, is_user_module) && study.model.bias && !is_searched(study, "model.bias");
  return scalable ? NormalizeTargets::standard : NormalizeTargets::none;
}

// Each repeat holds out other rows, and has its own scaling.
double validation_of(const Study& study, const std::optional<FileSchema>& file) {
  constexpr std::int64_t min_rows = 20;
  return file && file->rows >= min_rows && study.study.iterations <= max_recorded_iterations ? 0.1 : 0;
}

// The rows that decide whether an epoch is better than another; 0: the epochs are not compared by default, because
// their number is given, or because validations of streamed data take time.
std::int64_t deciding_rows(const Study& study, const std::optional<FileSchema>& file) {
  if (file && study.train.stop_fraction > 0) return stopping_row_count(study, file->counts());
  const bool compares = file && study.train.epochs == 0 && !is_searched(study, "train.epochs") &&
                        study.search.folds == 1 && study.data.mode != DataMode::streamed &&
                        has_validation_rows(study.data);
  return compares ? least_validation_rows(study, file->counts()) : 0;
}

// The best of many epochs by few rows is worse than the last one (measured by tests/bench/default_quality.py).
bool compares_epochs(const Study& study, const std::optional<FileSchema>& file) {
  constexpr std::int64_t min_rows = 150;
  return study.train.stop_fraction > 0 || deciding_rows(study, file) >= min_rows;
}

// The default patience of networks and of boosted trees alone.
constexpr std::int64_t epochs_without_gain = 20, rounds_without_gain = 30;

// With such a schedule, the last epochs are the best, and early stopping would miss them.
bool may_have_horizon(const Study& study) {
  return schedule_of(study.train.schedule).has_horizon || is_searched(study, "train.schedule");
}

// Without early stopping, more rounds overfit small tables; with it, the smallest learning rates need many.
constexpr std::int64_t default_rounds = 200, default_rounds_with_patience = 2000;

// Small data sets need many epochs for enough steps, and large ones converge in fewer. Where early stopping can end the
// training reliably, it may take longer (both measured by tests/bench/default_quality.py).
std::int64_t epochs_of(const Study& study, const RowCounts& rows, std::int64_t deciding_rows) {
  constexpr std::int64_t many_deciding_rows = 400;
  constexpr double min_epochs = 10, max_epochs = 200, epochs_at_one_step = 230, exponent = 0.4;
  const std::int64_t training_rows = std::max<std::int64_t>(1, training_rows_per_iteration(study, rows));
  const auto steps = static_cast<double>(epoch_steps(study.train, training_rows));
  const auto epochs = std::llround(std::clamp(epochs_at_one_step / std::pow(steps, exponent), min_epochs, max_epochs));
  const bool has_patience = study.train.patience.value_or(0) > 0;
  if (!any_kind(study, is_network)) return has_patience ? default_rounds_with_patience : default_rounds;
  const bool can_stop = has_patience && deciding_rows >= many_deciding_rows;
  return can_stop ? 2 * epochs : epochs;
}

// Small data sets are overfitted before the last epoch; early stopping by few rows does not help (measured by
// tests/bench/default_quality.py).
double weight_decay_of(const Study& study, const std::optional<FileSchema>& file, const RowCounts& rows) {
  constexpr std::int64_t many_training_rows = 1000;
  const bool has_default_length = study.train.epochs == 0 && !is_searched(study, "train.epochs");
  const bool is_small = file && training_rows_per_iteration(study, rows) < many_training_rows;
  const bool is_mlp = study.model.kind == ModelKind::mlp && !is_searched(study, "model.kind");
  return is_small && is_mlp && has_default_length && study.train.patience.value_or(0) == 0 ? 0.002 : 0;
}

// The approximate size of a saved model.
double model_bytes(const Study& study, const std::optional<FileSchema>& file) {
  constexpr double some_bytes = 1e8, bytes_of_trees = 2e6;
  if (!any_kind(study, is_network)) return bytes_of_trees;
  if (is_searched(study, "model.kind") || !has_layout(study.model.kind)) return some_bytes;
  return 4 * static_cast<double>(parameter_count(network_layout(study.model, expected_shape(study.data, file))));
}

// run.models = best writes the model of every iteration until the best one is known.
ModelsSaved models_of(const Study& study, const std::optional<FileSchema>& file) {
  constexpr double max_bytes = 10e9;
  if (study.run.refit || study.search.ensemble == EnsembleKind::greedy) return ModelsSaved::best;
  if (!file) return ModelsSaved::none;
  if (has_test_rows(study.data)) return ModelsSaved::best;
  const double count = expected_iterations(study, max_recorded_iterations);
  return count <= max_recorded_iterations && count * model_bytes(study, file) <= max_bytes ? ModelsSaved::best
                                                                                           : ModelsSaved::none;
}

const char* name_of(MarkKind kind) {
  if (kind == MarkKind::groups) return "groups";
  return kind == MarkKind::folds ? "folds" : "time";
}

// Given folds are searched like folds that are drawn.
void settle_marks(Study& study, const MarkSource& marks) {
  DataOptions& data = study.data;
  data.groups = marks.kind == MarkKind::groups ? marks.name : "";
  data.folds = marks.kind == MarkKind::folds ? marks.name : "";
  data.time = marks.kind == MarkKind::times ? marks.name : "";
  if (marks.kind == MarkKind::folds) study.search.folds = marks.folds;
}

// Throws UsageError if a regression would be trained on the numbers of classes.
void require_numbers(const Study& study, const FileSchema& file) {
  const std::vector<std::string>& names = file.description.class_names;
  if (study.data.task != Task::regression || names.empty() || file.coding != TargetCoding::numbers) return;
  throw UsageError(fmt::format(
      "{} needs numbers as targets, but '{}' has the numbers of the classes {}{}. Import it with --task=regression, or "
      "{}.",
      any_loss_is(study, &Loss::needs_numbers) ? "the loss" : "data.task = regression", study.data.file,
      quoted(names.front()),
      names.size() > 1 ? fmt::format(", {}{}", quoted(names[1]), names.size() > 2 ? ", ..." : "") : "",
      any_loss_is(study, &Loss::needs_numbers) ? "choose a loss for classes" : "set data.task = classification"));
}

// Throws RunError if losses of held-out rows would count weights that their files do not have.
void require_weights(const Study& study, const FileSchema& file) {
  if (!study.search.weighted || study.data.weights.empty()) return;
  for (const FileSchema& other : file.held_out)
    require(other.weights.has_value(), [&] {
      return fmt::format(
          "search.weighted = true needs weights of the rows of '{}', but it has no data set '{}'. Store "
          "them, or set search.weighted = false.",
          other.path, study.data.weights);
    });
}

// Throws UsageError if keys contradict the groups, folds or times of the file.
void require_usable_marks(const Study& study, const MarkSource& marks) {
  if (marks.kind != MarkKind::none && !study.data.validation_file.empty())
    throw UsageError(fmt::format(
        "data.validation_file = {} cannot be combined with the data set '{}' of '{}' (the validation rows are those of "
        "the file). Set data.{} = none, or leave out data.validation_file.",
        study.data.validation_file, marks.name, study.data.file, name_of(marks.kind)));
  if (marks.kind != MarkKind::folds) return;
  if (study.search.folds != 1 && study.search.folds != marks.folds)
    throw UsageError(
        fmt::format("search.folds = {} contradicts the {} folds of '{}' in '{}'. Leave out search.folds, or "
                    "set data.folds = none.",
                    study.search.folds, marks.folds, marks.name, study.data.file));
  if (study.data.validation.value_or(0) > 0)
    throw UsageError(
        fmt::format("data.validation = {} cannot be combined with the folds of '{}' in '{}' (they select the "
                    "validation rows). Leave out data.validation, or set data.folds = none.",
                    *study.data.validation, marks.name, study.data.file));
}

// Whether all ranks can train boosted trees. Logs if not. Throws AgreedError for other errors, such as a lack of
// memory. Collective.
bool all_have_trees(const Communicator& world) {
  const EngineEntry& engine = engine_of_trees();
  std::string problem;
  agree(world, [&] {
    try {
      engine.services.platform();  // loads its library
    } catch (const RunError& error) {
      problem = error.what();
    }
  });
  if (world.minimum(std::int64_t{problem.empty()}) > 0) return true;
  log_root(problem.empty() ? fmt::format("the search has no trees (a rank cannot load {})", product_name(engine))
                           : "the search has no trees: " + problem);
  return false;
}

// After with_table_search().
void require_something_to_search(const Study& study) {
  const SearchOptions& search = study.search;
  const bool has_time_only = search.time > 0 && search.method == automatic && search.keys.empty();
  if (has_time_only && search.trials == 0 && search.folds * search.repeats == 1)
    throw UsageError(
        "search.time has nothing to search (alone it needs a table in memory, a loss that boosted trees have, and no "
        "other "
        "keys of [model], [train] and [ensemble]). Leave these out, or set ranges, such as "
        "--search.train.learning_rate='log_uniform(1e-4, 1e-2)'.");
}

}  // namespace

Study with_data_defaults(Study study, const std::optional<FileSchema>& file) {
  auto& [options, data, model, train, ensemble, search, run] = study;
  const ImageShape image = file ? file->layout.image : data.image;
  const RowCounts rows = expected_rows(data, file);
  // A searched key keeps its base value, which no trial has.
  const auto needs_default = [&](const std::string& key, bool is_auto) { return is_auto && !is_searched(study, key); };
  if (file) settle_marks(study, file->marks);
  search.method = settled_method(study);
  if (search.depends_on_results()) search.batch = batch_of(study);
  if (data.task == automatic) data.task = task_of(data, file);
  if (needs_default("train.loss", train.loss == automatic)) train.loss = default_loss(data.task);
  if (needs_default("model.kind", model.kind == automatic)) model.kind = kind_of(model, image);
  if (needs_default("model.hidden", !model.hidden && model.kind == ModelKind::mlp)) model.hidden = hidden_widths(model);
  if (needs_default("model.channels",
                    !model.channels && any_kind(study, [](ModelKind kind) { return kind == ModelKind::cnn; })))
    model.channels = convolution_channels(image);
  const bool has_networks = any_kind(study, is_network);
  if (needs_default("train.learning_rate",
                    has_networks && !train.learning_rate && !is_searched(study, "train.optimizer")))
    train.learning_rate = initial_learning_rate(train);
  if (needs_default("data.normalize", data.normalize == automatic))
    data.normalize = normalization_of(study, file, image);
  if (data.normalize_targets == automatic && data.task == Task::regression)
    data.normalize_targets = target_normalization_of(study, file);
  if (!data.validation && search.folds == 1 && data.validation_file.empty())
    data.validation = validation_of(study, file);
  const bool compares = compares_epochs(study, file);
  const bool needs_patience = needs_default("train.patience", !train.patience);
  if (needs_patience)
    train.patience =
        compares && !may_have_horizon(study) ? (has_networks ? epochs_without_gain : rounds_without_gain) : 0;
  if (needs_default("train.best_weights", !train.best_weights))
    train.best_weights = needs_patience ? compares : train.patience != 0 || is_searched(study, "train.patience");
  if (needs_default("train.weight_decay", has_networks && !train.weight_decay))
    train.weight_decay = weight_decay_of(study, file, rows);
  if (needs_default("train.epochs", train.epochs == 0))
    train.epochs = epochs_of(study, rows, deciding_rows(study, file));
  if (run.models == automatic) run.models = models_of(study, file);
  return study;
}

std::string data_defaults_text(const Study& requested, const Study& settled) {
  std::string text;
  for (const auto& setting : all_settings()) {
    const std::string& key = setting.key;
    const std::string value = setting_text(settled, key);
    const bool is_off = value == "none" || value == "false" || value == "0";
    if (value == setting_text(requested, key) || is_off) continue;
    text += (text.empty() ? "" : ", ") + key + " = " + value;
  }
  return text;
}

Study settle_data_defaults(const Study& requested, const Communicator& world) {
  require_same_study_on_all_ranks(requested, world);
  Study started = with_start_trials(requested, world);
  Study study = started;
  if (study.data.task == automatic && any_loss_is(study, &Loss::needs_numbers)) study.data.task = Task::regression;
  const auto file = agree_on_data(study, world);
  if (file && searches_table(study, *file)) {
    const bool has_trees = all_have_trees(world);
    agree(world, [&] { started = study = with_table_search(study, *file, has_trees); });
    log_root(table_search_text(study));
  } else if (file && may_search_table(study, *file)) {
    log_root("one model with default settings; --search.time=30s searches an ensemble of trees and networks");
  }
  Study settled;
  agree(world, [&] {
    require_something_to_search(study);
    if (file) require_usable_marks(study, file->marks);
    if (file) require_weights(study, *file);
    settled = with_data_defaults(study, file);
    if (file) require_numbers(settled, *file);
    if (const auto problems = problems_in(settled); !problems.empty()) throw UsageError(problems.front().sentence);
  });
  require_same_study_on_all_ranks(settled, world);  // copies of a file on several nodes may differ in their attributes
  if (file && file->coding == TargetCoding::one_hot)
    log_root(
        fmt::format("the targets are one-hot: classification with {} (data.task = regression predicts the numbers)",
                    file->classes == 1 ? "1 class" : fmt::format("{} classes", file->classes)));
  if (file && file->coding == TargetCoding::multilabel && requested.data.task == automatic)
    log_root(fmt::format(
        "the targets are 0 and 1 in {} columns: multi-label classification (data.task = regression predicts the "
        "numbers)",
        file->target_columns));
  if (const auto text = file ? marks_text(file->marks) : ""; !text.empty()) log_root(text);
  const std::string chosen = data_defaults_text(started, settled);
  if (file && !chosen.empty()) log_root("chosen for the data: " + chosen);
  return settled;
}

}  // namespace sheaf
