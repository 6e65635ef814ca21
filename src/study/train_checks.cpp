// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/section_checks.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// Checks the data of losses that are only for regression.
void check_numbers(const Study& study, Problems& problems) {
  if (study.data.task == Task::classification)
    problems.add({"train.loss", "data.task"},
                 fmt::format("{} needs numbers as targets, but data.task = classification. Set data.task = regression, "
                             "or train.loss = cross_entropy.",
                             assignment(study, "train.loss")));
  else if (study.data.source == DataSource::synthetic)
    problems.add({"train.loss", "data.source"},
                 fmt::format("{} needs {}. Set data.file, or train.loss = mse.", assignment(study, "train.loss"),
                             loss_of(study.train.loss).needs_counts()
                                 ? "targets >= 0 (those of synthetic data have both signs)"
                                 : "a data file (synthetic data have one target for each output)"));
  for (const char* key : {"train.loss", "train.quantiles"})
    if (loss_of(study.train.loss).has_quantiles() && is_searched(study, key))
      problems.add({"search." + std::string(key), "train.loss"},
                   fmt::format("search.{0} cannot be combined with the loss quantile (its trials would have different "
                               "outputs). Set {0}, and compare several runs.",
                               key));
}

// The splits of the rows are the same for all trials.
void check_stop_fraction(const Study& study, Problems& problems) {
  if (is_searched(study, "train.stop_fraction"))
    problems.add({"search.train.stop_fraction"},
                 "train.stop_fraction cannot be searched (all trials have the same rows). Set train.stop_fraction, and "
                 "compare several runs.");
}

}  // namespace

// Keys whose `auto` depends on the data are settled once for all trials.
void check_auto_candidates(const Study& study, Problems& problems) {
  constexpr const char* settled_once[] = {"data.normalize", "model.kind",     "model.channels",    "train.epochs",
                                          "train.loss",     "train.patience", "train.best_weights"};
  for (const auto& [key, candidates, sampling] : study.search.keys)
    if (std::find(std::begin(settled_once), std::end(settled_once), key) != std::end(settled_once) &&
        std::find(candidates.begin(), candidates.end(), "auto") != candidates.end())
      problems.add({"search." + key},
                   fmt::format("search.{0} has the candidate auto. List the values of {0} to compare.", key));
}

void check_schedule(const Study& study, Problems& problems) {
  const TrainOptions& train = study.train;
  if (schedule_of(train.schedule).follows_losses && has_no_validation(study))
    problems.add({"train.schedule", "data.validation", "search.folds"},
                 fmt::format("{} needs validation rows. Set data.validation, e.g. to 0.1, or search.folds.",
                             assignment(study, "train.schedule")));
  if (train.epochs > 0 && train.warmup_epochs > static_cast<double>(train.epochs))
    problems.add({"train.warmup_epochs", "train.epochs"},
                 fmt::format("{} is more than train.epochs = {}. Use fewer.", assignment(study, "train.warmup_epochs"),
                             train.epochs));
}

void check_best_epoch(const Study& study, Problems& problems) {
  check_stop_fraction(study, problems);
  const TrainOptions& train = study.train;
  const bool has_patience = train.patience.value_or(0) > 0;
  if ((has_patience || train.best_weights.value_or(false)) && has_no_validation(study)) {
    const std::string key = has_patience ? "train.patience" : "train.best_weights";
    problems.add({key, "data.validation", "search.folds"},
                 fmt::format("{} needs validation rows. Set data.validation, e.g. to 0.1, or search.folds.",
                             assignment(study, key)));
  } else if (train.stop_fraction > 0 && has_no_validation(study)) {
    problems.add(
        {"train.stop_fraction", "data.validation", "search.folds"},
        fmt::format("{} needs validation rows (without them, let data.validation hold out the rows that decide). "
                    "Set data.validation, e.g. to 0.1, or search.folds.",
                    assignment(study, "train.stop_fraction")));
  } else if (train.stop_on) {
    check_metrics(study, "train.stop_on", {*train.stop_on}, problems);
  }
}

void check_train(const Study& study, Problems& problems) {
  const TrainOptions& train = study.train;
  if (train.loss != automatic && loss_of(train.loss).needs_classes() && study.data.task == Task::regression)
    problems.add({"train.loss", "data.task"},
                 fmt::format("{} needs class labels, but data.task = regression. Set data.task = classification, or "
                             "train.loss = mse.",
                             assignment(study, "train.loss")));
  if (train.loss != automatic && study.data.task == Task::multilabel && !loss_of(train.loss).fits_labels())
    problems.add({"train.loss", "data.task"},
                 fmt::format("{} does not fit data.task = multilabel (each label needs a probability of its own). Set "
                             "train.loss = bce.",
                             assignment(study, "train.loss")));
  else if (train.loss != automatic && loss_of(train.loss).needs_numbers())
    check_numbers(study, problems);
  if (is_searched(study, "train.label_smoothing") && has_no_validation(study))
    problems.add({"search.train.label_smoothing", "data.validation", "search.folds"},
                 "search.train.label_smoothing needs validation rows (training losses with different smoothing are not "
                 "comparable). Set data.validation, e.g. to 0.1, or search.folds.");
  if (train.nesterov && optimizer_of(train.optimizer).has("nesterov") && train.momentum == 0)
    problems.add({"train.nesterov", "train.optimizer", "train.momentum"},
                 "train.nesterov = true needs momentum, but train.momentum = 0. Set train.momentum, e.g. to 0.9.");
}

// LibTorch has one TF32 setting per process.
void check_tf32(const Study& study, Problems& problems) {
  if (study.train.precision != Precision::tf32) return;
  if (study.run.device == DeviceRequest::cpu)
    problems.add({"train.precision", "run.device"},
                 "train.precision = tf32 needs GPUs, but run.device = cpu. Set train.precision = float32, or "
                 "run.device = cuda.");
  if (is_searched(study, "train.precision"))
    problems.add({"train.precision"},
                 "train.precision = tf32 cannot be searched (all models of a rank share this setting). Start a "
                 "separate run with train.precision = tf32.");
}

void check_saved_models(const Study& study, Problems& problems) {
  const bool has_file = !study.data.test_file.empty();
  const std::string key = has_file ? "data.test_file" : "data.test";
  const char* const without = has_file ? "leave out data.test_file" : "data.test = 0";
  if (has_test_rows(study.data) && study.run.models == ModelsSaved::none)
    problems.add({key, "run.models"},
                 fmt::format("{} needs the best model, but run.models = none. Set run.models = best, or {}.",
                             assignment(study, key), without));
}

}  // namespace sheaf
