// SPDX-License-Identifier: MIT
#include "commands/train/data_defaults.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "commands/train/study_data.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/searched_keys.hpp"
#include "study/settings.hpp"
#include "training/batches.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// Whether some trial has a network of this kind. `name`: the kind, or the beginning of a candidate of model.kind.
bool may_be(const Study& study, ModelKind kind, const std::string& name) {
  for (const auto& [key, candidates] : study.search.keys)
    if (key == "model.kind")
      return std::any_of(candidates.begin(), candidates.end(),
                         [&](const std::string& candidate) { return candidate.rfind(name, 0) == 0; });
  return study.model.kind == kind;
}

bool has_foreign_module(const Study& study) {
  return may_be(study, ModelKind::torchscript, "torchscript:") || may_be(study, ModelKind::plugin, "plugin:");
}

Task task_of(const DataOptions& options, const std::optional<FileSchema>& file) {
  if (options.classes > 0) return Task::classification;
  const bool has_labels = file && file->targets.number_class == NumberClass::integer && file->target_columns == 1;
  return has_labels ? Task::classification : Task::regression;
}

std::int64_t shorter_side(const ImageShape& image) {
  return image.channels == 0 ? 0 : std::min(image.height, image.width);
}

ModelKind kind_of(const ModelOptions& model, const ImageShape& image) {
  return model.channels || shorter_side(image) > 1 ? ModelKind::cnn : ModelKind::mlp;
}

// Each convolution halves the image; the last output has a shorter side of 4 to 7 pixels, or less if the image has.
std::vector<std::int64_t> convolution_channels(const ImageShape& image) {
  constexpr std::int64_t least_side = 4, first = 16, most = 128;
  std::vector<std::int64_t> channels = {first};
  for (std::int64_t side = shorter_side(image) / 2; side >= 2 * least_side; side /= 2)
    channels.push_back(std::min(most, 2 * channels.back()));
  return channels;
}

Normalize normalization_of(const Study& study, const std::optional<FileSchema>& file, const ImageShape& image) {
  if (!file || has_foreign_module(study) || !file->description.preprocessing.empty()) return Normalize::none;
  return image.channels > 0 ? Normalize::minmax : Normalize::robust;
}

// The targets are scaled back in the last layer, so it must be known and have a bias.
NormalizeTargets target_normalization_of(const Study& study, const std::optional<FileSchema>& file) {
  const bool scalable = file && study.data.task == Task::regression && !has_foreign_module(study) && study.model.bias &&
                        !is_searched(study, "model.bias");
  return scalable ? NormalizeTargets::standard : NormalizeTargets::none;
}

double validation_of(const std::optional<FileSchema>& file) {
  constexpr std::int64_t least_rows = 20;
  return file && file->rows >= least_rows ? 0.1 : 0;
}

// Small data sets need many epochs for enough steps, but overfit sooner: the number of steps grows with the square root
// of the rows (measured by tests/bench/default_quality.py).
std::int64_t epochs_of(const Study& study, std::int64_t rows) {
  constexpr double least = 10, most = 200, of_one_step = 300;
  const std::int64_t training_rows = std::max<std::int64_t>(1, training_rows_per_iteration(study, rows));
  const auto steps = static_cast<double>(epoch_steps(study.train, training_rows));
  return std::llround(std::clamp(of_one_step / std::sqrt(steps), least, most));
}

// run.models = best writes the model of every iteration until the best one is known.
ModelsSaved models_of(const Study& study, const std::optional<FileSchema>& file) {
  constexpr double most_written = 1000;
  double iterations = static_cast<double>(Combinations(study).count());
  for (const std::int64_t factor :
       {study.study.iterations, study.search.repeats, study.search.folds, study.ensemble.members})
    iterations *= static_cast<double>(factor);
  const bool can_be_saved = !may_be(study, ModelKind::plugin, "plugin:");
  const bool saves = file && can_be_saved && iterations <= most_written;
  return saves ? ModelsSaved::best : ModelsSaved::none;
}

}  // namespace

Study with_data_defaults(Study study, const std::optional<FileSchema>& file) {
  auto& [options, data, model, train, ensemble, search, run] = study;
  const ImageShape image = file ? file->layout.image : data.image;
  const std::int64_t rows = file ? file->rows : data.rows;
  // Each trial has its own value of a searched key.
  const auto is_open = [&](const std::string& key, bool is_auto) { return is_auto && !is_searched(study, key); };
  if (data.task == Task::automatic) data.task = task_of(data, file);
  if (is_open("train.loss", train.loss == LossKind::automatic))
    train.loss = data.task == Task::classification ? LossKind::cross_entropy : LossKind::mse;
  if (is_open("model.kind", model.kind == ModelKind::automatic)) model.kind = kind_of(model, image);
  if (is_open("model.hidden", !model.hidden && model.kind == ModelKind::mlp)) model.hidden = hidden_widths(model);
  if (is_open("model.channels", !model.channels && may_be(study, ModelKind::cnn, "cnn")))
    model.channels = convolution_channels(image);
  if (is_open("train.learning_rate", !train.learning_rate && !is_searched(study, "train.optimizer")))
    train.learning_rate = initial_learning_rate(train);
  if (data.normalize == Normalize::automatic) data.normalize = normalization_of(study, file, image);
  if (data.normalize_targets == NormalizeTargets::automatic && data.task == Task::regression)
    data.normalize_targets = target_normalization_of(study, file);
  if (!data.validation && search.folds == 1) data.validation = validation_of(file);
  if (is_open("train.epochs", train.epochs == 0)) train.epochs = epochs_of(study, rows);
  if (run.models == ModelsSaved::automatic) run.models = models_of(study, file);
  return study;
}

std::string data_defaults_text(const Study& requested, const Study& settled) {
  std::string text;
  for (const auto& setting : all_settings()) {
    const std::string& key = setting.key;
    const std::string value = setting_text(settled, key);
    if (value == setting_text(requested, key)) continue;
    text += (text.empty() ? "" : ", ") + key + " = " + value;
  }
  return text;
}

Study settle_data_defaults(const Study& study, const Communicator& world) {
  const auto file = agree_on_data(study, world);
  Study settled;
  agree(world, [&] {
    settled = with_data_defaults(study, file);
    if (const auto problems = problems_in(settled); !problems.empty()) throw UsageError(problems.front().sentence);
  });
  const std::string chosen = data_defaults_text(study, settled);
  if (file && !chosen.empty()) log_root("chosen for the data: " + chosen);
  return settled;
}

}  // namespace sheaf
