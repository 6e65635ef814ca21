// SPDX-License-Identifier: MIT
#include "study/settings_section.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t max_columns = 1000000;  // times max_rows, in bytes, fits into 64 bits

// Synthetic data for classification have one target, the class.
Condition outputs_are_targets() {
  const auto holds = [](const Study& study) {
    return study.data.source != DataSource::synthetic || study.data.task != Task::classification;
  };
  return {{"data.task", "data.source"}, {}, holds, "", "data.task = regression"};
}

void add_synthetic_data(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("rows", &DataOptions::rows, integer(1, max_rows), "Synthetic: number of rows.");
  data.add("columns", &DataOptions::columns, integer(1, max_columns), "Synthetic: number of features.");
  data.add("outputs", &DataOptions::outputs, integer(1, max_columns), "Synthetic regression: number of targets.")
      .only_if(outputs_are_targets());
  data.add("distribution", &DataOptions::distribution,
           choice<Distribution>({{"normal", Distribution::normal}, {"uniform", Distribution::uniform}}),
           "Synthetic: distribution of the features; normal: mean 0 and standard deviation 1; uniform: 0 to 1.");
  data.add("relation", &DataOptions::relation,
           choice<Relation>({{"independent", Relation::independent}, {"linear", Relation::linear}}),
           "Synthetic. independent: targets are random, unrelated to the features; linear: targets are computed from "
           "the features.");
  data.add("noise", &DataOptions::noise, number("number >= 0", is_not_negative),
           "Synthetic: standard deviation of the noise on a linear relation.");
  data.add("draw", &DataOptions::draw, choice<Draw>({{"iteration", Draw::iteration}, {"study", Draw::study}}),
           "Synthetic. iteration: new rows for each iteration; study: one data set for all iterations.");
}

}  // namespace

void add_data_keys(std::vector<Setting>& table) {
  Section<DataOptions> data(table, "data", &Study::data);
  data.add("source", &DataOptions::source,
           choice<DataSource>({{"file", DataSource::file}, {"synthetic", DataSource::synthetic}}),
           "Source of the rows: an HDF5 file, or random numbers.");
  data.add("file", &DataOptions::file, text(), "HDF5 file; in a study file, relative to its folder.",
           Decides::no_results, PathKind::input)
      .only_with("data.source", {"file"})
      .also_called({"dataset", "data_file", "data_path", "train_file", "path"});
  data.add("validation_file", &DataOptions::validation_file, text(),
           "HDF5 file with the columns of data.file; all its rows are validation rows, and those of data.file are "
           "trained on. "
           "Empty: rows of data.file are held out.",
           Decides::no_results, PathKind::input)
      .only_with("data.source", {"file"})
      .also_called({"valid_file", "val_file", "validation_data", "valid_data", "val_data", "eval_set", "eval_file"});
  data.add("test_file", &DataOptions::test_file, text(),
           "HDF5 file with the columns of data.file; its rows are the test rows, as those of data.test. They must not "
           "be "
           "in data.validation_file. Empty: no file.",
           Decides::no_results, PathKind::input)
      .only_with("data.source", {"file"})
      .also_called({"test_data", "test_path"});
  data.add("features", &DataOptions::features, non_empty_text(), "Data set of the features in the file, [rows, ...].")
      .also_called({"x", "inputs"});
  data.add("targets", &DataOptions::targets, non_empty_text(),
           "Data set of the targets in the file, [rows], [rows, outputs], one-hot [rows, classes], or [rows, labels] "
           "of 0 "
           "and 1.")
      .also_called({"y", "label", "labels", "target"});
  data.add("weights", &DataOptions::weights, text(),
           "Data set of sample weights in the file, [rows]; empty: all weights are 1. A weight multiplies the training "
           "loss of its row; the mean over a batch is the weighted sum divided by the number of rows.")
      .only_with("data.source", {"file"})
      .also_called({"sample_weight", "sample_weights"});
  data.add("groups", &DataOptions::groups, or_auto(name_or_none()),
           "Data set of integers in the file, [rows]; rows with the same number, such as those of one patient, are a "
           "group. Folds, data.validation, data.test and bootstraps take whole groups. auto: /groups, if the file has "
           "it.")
      .only_with("data.source", {"file"})
      .also_called({"group", "group_id", "group_column", "groups_column"});
  data.add("folds", &DataOptions::folds, or_auto(name_or_none()),
           "Data set of integers in the file, [rows]: the fold of each row, 0, 1, 2, ... They determine search.folds, "
           "and all repeats have these folds. auto: /folds, if the file has it.")
      .only_with("data.source", {"file"})
      .also_called({"fold_column", "fold_id", "predefined_split"});
  data.add("time", &DataOptions::time, or_auto(name_or_none()),
           "Data set of numbers in the file, [rows], that increase with time, or file_order. Each fold trains on the "
           "rows "
           "before its validation rows, as in scikit-learn's TimeSeriesSplit; data.validation and data.test hold out "
           "the "
           "last rows. auto: /time, if the file has it.")
      .only_with("data.source", {"file"})
      .also_called({"time_column", "timestamp", "time_series", "date_column"});
  data.add("task", &DataOptions::task,
           choice_or_auto<Task>({{"classification", Task::classification},
                                 {"multilabel", Task::multilabel},
                                 {"regression", Task::regression}}),
           "Classification (labels 0, 1, 2, ...), multi-label classification (several labels, which a row has or not: "
           "targets [rows, labels] of 0 and 1), or regression (numbers). auto: classification if the targets are "
           "integers, one per row, or texts, or one-hot, and no loss is poisson or quantile; multilabel if they are 0 "
           "and 1 in several columns and not one-hot; synthetic data: classification if data.classes is set. Folds and "
           "data.validation are stratified only for classification.")
      .values_also_called({{"multi_label", "multilabel"}, {"multilabel_classification", "multilabel"}});
  data.add("classes", &DataOptions::classes, integer_or("auto", 2, max_columns),
           "Number of classes; auto: the number of class names in the file, otherwise its highest label + 1.")
      .only_with("data.task", {"classification", "auto"})
      .also_called({"n_classes", "num_classes", "num_class"});
  data.add("normalize", &DataOptions::normalize,
           choice_or_auto<Normalize>({{"none", Normalize::none},
                                      {"standard", Normalize::standard},
                                      {"minmax", Normalize::minmax},
                                      {"robust", Normalize::robust}}),
           "Scaling of each feature, computed from the training rows. auto: robust for tables, minmax for images of "
           "bytes, standard for other images; none if sheaf preprocess has scaled the file or if the model is "
           "torchscript, a plugin or boosted_trees, and for synthetic data; standard: mean 0 and standard deviation 1; "
           "minmax: "
           "range 0 to 1; robust: columns with two values become 0 and 1, others are centered on their median, divided "
           "by "
           "their "
           "interquartile range, and outliers are clipped smoothly to (-3, 3).")
      .searchable()
      .also_called({"normalise", "normalisation", "normalization", "scaler", "scaling", "standardize", "standardise"})
      .values_also_called({{"standardscaler", "standard"},
                           {"standardize", "standard"},
                           {"zscore", "standard"},
                           {"z_score", "standard"},
                           {"minmaxscaler", "minmax"},
                           {"robustscaler", "robust"},
                           {"quantile", "robust"},
                           {"min_max", "minmax"}});
  data.add("normalize_targets", &DataOptions::normalize_targets,
           choice_or_auto<NormalizeTargets>(
               {{"none", NormalizeTargets::none}, {"standard", NormalizeTargets::standard}}),
           "Regression. standard: train on targets that are centered on their means and divided by their standard "
           "deviations, computed from the training rows; losses, scores and predictions stay in the units of the file. "
           "auto: standard for a file, if the model is trees, or one of Sheaf's networks and has a bias, and no loss "
           "is poisson.")
      .only_with("data.task", {"regression", "auto"});
  data.add("validation", &DataOptions::validation, or_auto(number(below_one_in_words, is_below_one)),
           "Fraction of the rows held out for validation; auto: 0.1 for a file with at least 20 rows, 0 if "
           "search.folds is "
           "more than 1 or data.validation_file is set, where no other value is allowed.")
      .also_called({"validation_split", "validation_fraction", "validation_size", "val_split", "val_size"});
  data.add("test", &DataOptions::test, number(below_one_in_words, is_below_one),
           "Fraction of the rows that no training and no validation uses. At the end of the run, the models with which "
           "it "
           "predicts are evaluated on them once. They depend on the seed only, and are stratified, whole groups or the "
           "last rows.")
      .only_with("data.source", {"file"})
      .also_called({"test_size", "test_split", "test_fraction", "test_ratio", "holdout"});
  data.add("image", &DataOptions::image, image_shape(),
           "Image shape of a row, channels x height x width; auto: the shape in the file.")
      .also_called({"input_shape", "image_size", "img_size"});
  data.add("channels", &DataOptions::channels,
           choice<std::optional<ChannelOrder>>(
               {{"auto", std::nullopt}, {"first", ChannelOrder::first}, {"last", ChannelOrder::last}}),
           "Image layout in the file: channels first, [N, C, H, W], or last, [N, H, W, C]; auto: by the attribute "
           "`channels` of the features, otherwise by the dimension of size 1 to 4.")
      .also_called({"data_format"});
  data.add(
          "mode", &DataOptions::mode,
          choice_or_auto<DataMode>({{"memory", DataMode::memory}, {"streamed", DataMode::streamed}}),
          "memory: load all rows once per node; streamed: read them in every epoch; auto: stream files that do not fit "
          "into data.memory.")
      .values_also_called({{"resident", "memory"}});
  data.add("memory", &DataOptions::memory_mib, integer_or("auto", 1, max_rows),
           "Memory for the rows per node, in MiB; auto: files larger than half of the node's memory are streamed, "
           "using up to 384 MiB.");
  data.add("window", &DataOptions::window, integer_or("auto", 1, max_rows),
           "Streamed: number of rows that are shuffled together; auto: 64 MiB of rows, more for large chunks. Memory "
           "not needed for windows may be used to keep part of the file between epochs.")
      .also_called({"shuffle_buffer", "buffer_size"});
  data.add("read_ahead", &DataOptions::read_ahead, integer(1, 64), "Streamed: number of windows to read ahead.")
      .also_called({"prefetch", "prefetch_factor"});
  add_synthetic_data(table);
}

}  // namespace sheaf
