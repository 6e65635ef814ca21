// SPDX-License-Identifier: MIT
#include "commands/train/prepare/study_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/row_draws.hpp"
#include "data/split_sizes.hpp"
#include "data/splits.hpp"
#include "search/leaderboard.hpp"
#include "search/tpe.hpp"
#include "study/combinations.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/settings.hpp"
#include "study/validation_epochs.hpp"
#include "training/class_weights.hpp"

namespace sheaf {
namespace {

bool ranks_by_training_loss(const Study& study, const Plan& plan) {
  return plan.trial_count() > 1 && !validates(study);
}

std::vector<std::int64_t> rows_of_classes(const DataSet& data) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.output_count));
  for (std::int64_t row = 0; row < data.rows; ++row) ++counts[static_cast<std::size_t>(data.labels[row])];
  return counts;
}

// The name of a class or a label, or its number.
std::string name_of(std::size_t label, const std::vector<std::string>& class_names) {
  return label < class_names.size() ? quoted(class_names[label]) : fmt::format("{}", label);
}

// "classes 'cat' (2 rows), 'dog' (1 row) and 3 more"; empty without labels.
std::string classes_text(const std::vector<std::size_t>& labels, const std::vector<std::int64_t>& counts,
                         const std::vector<std::string>& class_names) {
  if (labels.empty()) return "";
  std::vector<std::string> named;
  for (const std::size_t label : labels)
    named.push_back(fmt::format("{} ({})", name_of(label, class_names), counted(counts[label], "row")));
  return (labels.size() == 1 ? "class " : "classes ") + listed(named);
}

template <class Condition>
std::vector<std::size_t> labels_where(std::size_t classes, const Condition& condition) {
  std::vector<std::size_t> labels;
  for (std::size_t label = 0; label < classes; ++label)
    if (condition(label)) labels.push_back(label);
  return labels;
}

// Empty if at least two classes have rows.
std::string only_class(const std::vector<std::int64_t>& counts, const std::vector<std::string>& class_names) {
  const auto present = labels_where(counts.size(), [&](std::size_t label) { return counts[label] > 0; });
  return present.size() != 1 ? ""
                             : fmt::format(
                                   "all rows have {}, so a model cannot learn to distinguish classes. Check the "
                                   "targets.",
                                   classes_text(present, counts, class_names));
}

// Of several labels per row: empty if each of them has rows with it and rows without it.
std::string constant_labels(const DataSet& data, const std::vector<std::string>& class_names) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(data.output_count));
  for (std::int64_t row = 0; row < data.rows; ++row)
    for (std::size_t label = 0; label < counts.size(); ++label)
      if (data.targets[row * data.output_count + static_cast<std::int64_t>(label)] != 0) ++counts[label];
  const auto constant =
      labels_where(counts.size(), [&](std::size_t label) { return counts[label] == 0 || counts[label] == data.rows; });
  if (constant.empty()) return "";
  std::vector<std::string> named;
  for (const std::size_t label : constant)
    named.push_back(fmt::format("{} ({} in all rows)", name_of(label, class_names), counts[label] == 0 ? 0 : 1));
  return fmt::format("{} {} not vary, so a model cannot learn to predict {}. Check the targets.",
                     (constant.size() == 1 ? "label " : "labels ") + listed(named),
                     constant.size() == 1 ? "does" : "do", constant.size() == 1 ? "it" : "them");
}

// Empty unless most rows have a class of their own, as if quantities were taken for classes.
std::string single_classes(const std::vector<std::int64_t>& counts, std::int64_t rows) {
  constexpr std::int64_t min_rows = 20;
  const std::int64_t single = std::count(counts.begin(), counts.end(), 1);
  if (rows < min_rows || 2 * single <= rows) return "";
  return fmt::format(
      "{} of {} rows have a class of their own, so the targets may be quantities. Set data.task = regression to "
      "predict them as numbers.",
      single, rows);
}

// Empty if every class has a row for each fold.
std::string small_classes(const std::vector<std::int64_t>& counts, std::int64_t folds,
                          const std::vector<std::string>& class_names) {
  const auto small = labels_where(counts.size(), [&](std::size_t label) { return counts[label] < folds; });
  if (small.empty()) return "";
  const bool untrained = std::any_of(small.begin(), small.end(), [&](std::size_t label) { return counts[label] == 1; });
  return fmt::format(
      "{} {} fewer rows than search.folds = {} (some folds validate without them{}). Use fewer folds, or "
      "add rows.",
      classes_text(small, counts, class_names), small.size() == 1 ? "has" : "have", folds,
      untrained ? ", and the fold with the only row of a class trains without the class" : "");
}

// Empty if rows of every class are left to train on.
std::string untrained_classes(const std::vector<std::int64_t>& counts, double validation,
                              const std::vector<std::string>& class_names) {
  const auto held_out = holdout_of_classes(counts, validation);
  const auto untrained = labels_where(
      counts.size(), [&](std::size_t label) { return counts[label] > 0 && held_out[label] == counts[label]; });
  if (untrained.empty()) return "";
  return fmt::format(
      "{} {} not trained on (data.validation = {} holds out all rows of {}). Add rows, or use search.folds or "
      "data.validation = 0.",
      classes_text(untrained, counts, class_names), untrained.size() == 1 ? "is" : "are", validation,
      untrained.size() == 1 ? "the class" : "these classes");
}

// Empty if the training rows of each fold, in the first repeat, have all classes that are not held out for the test.
std::string classes_missing_in_folds(const Study& study, const DataSet& data, Splits& splits,
                                     const std::vector<std::int64_t>& counts,
                                     const std::vector<std::string>& class_names) {
  constexpr std::int64_t max_folds = 100;  // each reads all rows
  std::vector<bool> is_missing(counts.size());
  for (std::int64_t fold = 0; fold < std::min(study.search.folds, max_folds); ++fold) {
    std::vector<bool> is_trained(counts.size());
    Split split;
    splits.rows_of_split(0, fold, split);
    split.training_rows.for_each(
        [&](std::int64_t row) { is_trained[static_cast<std::size_t>(data.labels[row])] = true; });
    for (std::size_t label = 0; label < counts.size(); ++label)
      if (counts[label] > 0 && !is_trained[label]) is_missing[label] = true;
  }
  const auto missing = labels_where(counts.size(), [&](std::size_t label) { return is_missing[label]; });
  if (missing.empty()) return "";
  return fmt::format("{}no training row has {}. Add rows, or hold out fewer.",
                     study.search.folds > 1 ? "in some fold, " : "", classes_text(missing, counts, class_names));
}

// "R2 is not defined for fewer than 2 validation rows, and data.validation = 0.1 holds out one row). Add rows"
std::string too_few_rows(const Study& study, const MetricChoice& choice, const RowCounts& counts) {
  const Metric& metric = choice.metric();
  const std::int64_t rows = counts.own;
  if (counts.validation_file > 0)
    return fmt::format("{} is not defined for fewer than {} validation rows, and '{}' has one row). Add rows",
                       choice.label(), metric.min_rows, study.data.validation_file);
  const std::string advice = study.search.folds == 1 ? "Increase data.validation"
                             : rows < 2 * metric.min_rows  // fewer than two such folds
                                 ? "Add rows"
                                 : fmt::format("Set search.folds to at most {}", rows / metric.min_rows);
  return fmt::format("{} is not defined for fewer than {} validation rows, and {} {} one row). {}", choice.label(),
                     metric.min_rows,
                     study.search.folds > 1 ? fmt::format("search.folds = {}", study.search.folds)
                                            : fmt::format("data.validation = {}", study.data.validation.value_or(0)),
                     study.search.folds > 1 ? "leaves a fold with" : "holds out", advice);
}

// Empty unless early stopping may end a training before the learning rate has fallen.
std::string short_patience(const TrainOptions& train) {
  const std::int64_t patience = train.patience.value_or(0), enough = (train.epochs + 3) / 4;
  if (patience == 0 || !schedule_of(train.schedule).has_horizon || patience >= enough) return "";
  return fmt::format(
      "train.patience = {} may end a training while the learning rate is still high (train.schedule = {} lowers it "
      "over "
      "{} epochs). Set train.patience to at least {}, or to none with train.best_weights = true.",
      patience, schedule_of(train.schedule).name, train.epochs, enough);
}

// Empty unless all trials begin before one of them could depend on another.
std::string independent_trials(const Study& study, const Plan& plan) {
  const SearchOptions& search = study.search;
  if (!search.depends_on_results()) return "";
  const bool learns = search.method_row().learns;
  const std::int64_t first = batch_of(study) + (learns ? Tpe::startup_trials - 1 : 0);
  if (plan.trial_count() > first) return "";
  const char* const key = learns                          ? "search.method"
                          : search.racing != Racing::none ? "search.racing"
                                                          : "search.patience";
  return fmt::format(
      "{} = {} has no effect with {} (search.batch = {}: {} from trial number {} on). Search more trials, or "
      "set a smaller search.batch.",
      key, setting_text(study, key), counted(plan.trial_count(), "trial"), batch_of(study),
      learns ? "it learns" : "trials depend on others", first);
}

}  // namespace

std::vector<std::string> study_warnings(const Study& study, const Plan& plan, const DataSet* data,
                                        const std::vector<std::string>& class_names, Splits* splits) {
  std::vector<std::string> warnings;
  if (ranks_by_training_loss(study, plan))
    warnings.emplace_back(
        "the trials are ranked by their training loss, which favors models that overfit (no rows are held out). Set "
        "search.folds or data.validation.");
  const auto add = [&](const std::string& warning) {
    if (!warning.empty()) warnings.push_back(warning);
  };
  add(short_patience(study.train));
  add(independent_trials(study, plan));
  if (data != nullptr && data->task == Task::multilabel) add(constant_labels(*data, class_names));
  if (data == nullptr || data->labels == nullptr) return warnings;
  const auto counts = rows_of_classes(*data);
  add(only_class(counts, class_names));
  add(single_classes(counts, data->rows));
  const bool is_special =
      data->marks.kind != MarkKind::none || has_test_rows(study.data) || has_held_out_files(study.data);
  if (is_special && splits != nullptr)
    add(classes_missing_in_folds(study, *data, *splits, counts, class_names));
  else if (study.search.folds > 1)
    add(small_classes(counts, study.search.folds, class_names));
  else if (validates(study))
    add(untrained_classes(counts, study.data.validation.value_or(0), class_names));
  return warnings;
}

std::string metric_problem(const Study& study, const Plan& plan, const std::vector<std::string>& class_names,
                           std::int64_t outputs) {
  const std::string data =
      study.data.source == DataSource::file ? fmt::format("'{}'", study.data.file) : "the synthetic data";
  std::string problem;
  const auto check = [&](const char* key, const MetricChoice& metric) {
    if (problem.empty()) problem = metric_problem(key, metric, class_names, outputs, data);
  };
  if (const auto score = read_metric(study.search.metric)) check("search.metric", *score);
  for (const MetricChoice& metric : study.run.metrics) check("run.metrics", metric);
  plan.for_each_distinct([](const std::string& key) { return key == "train.stop_on" || key == "train.class_weights"; },
                         [&](const Trial& trial, double) {
                           if (trial.train.stop_on) check("train.stop_on", *trial.train.stop_on);
                           if (problem.empty())
                             problem = class_weights_problem(trial.train.class_weights, class_names, outputs, data);
                         });
  return problem;
}

std::string ranking_problem(const Study& study, const Plan& plan, const RowCounts& rows) {
  if (!study.search.searches()) return "";
  const std::int64_t least = least_validation_rows(study, rows);
  if (plan.trial_count() > 1 && !has_one_loss(study) && least == 0)
    return "the trials cannot be ranked (losses of different kinds are not comparable, and no rows "
           "are held out to compute another metric). Set search.folds or data.validation.";
  if (study.search.racing == Racing::certain && !least_cost(study))
    return "search.racing = certain needs a best value that trials cannot exceed (the validation loss of train.loss = "
           "poisson has none). Set search.racing = forgiving, or search.metric.";
  const MetricChoice metric = score_metric(study);
  if (ranking_of(study).by_loss || least == 0 || least >= metric.metric().min_rows) return "";
  return fmt::format("the trials cannot be ranked by {} ({}{}.", metric.label(), too_few_rows(study, metric, rows),
                     study.ensemble.members > 1 ? "" : ", or set search.metric = loss");
}

std::string stopping_problem(const Study& study, const RowCounts& rows) {
  if (!study.train.stop_on || !follows_validations(study.train)) return "";
  const MetricChoice& metric = *study.train.stop_on;
  if (study.train.stop_fraction > 0) {
    if (stopping_row_count(study, rows) >= metric.metric().min_rows) return "";
    return fmt::format(
        "the epochs cannot be compared by {0} ({0} is not defined for fewer than {1} rows, and train.stop_fraction = "
        "{2} holds out one row). Increase train.stop_fraction, or set train.stop_on = loss.",
        metric.label(), metric.metric().min_rows, study.train.stop_fraction);
  }
  const std::int64_t least = least_validation_rows(study, rows);
  if (least == 0 || least >= metric.metric().min_rows) return "";
  return fmt::format("the epochs cannot be compared by {} ({}, or set train.stop_on = loss.", metric.label(),
                     too_few_rows(study, metric, rows));
}

}  // namespace sheaf
