// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "study/losses.hpp"
#include "study/section_checks.hpp"

namespace sheaf {
namespace {

// Checks data.validation_file and data.test_file. `marks`: the keys of groups, folds or times that are set.
void check_held_out_files(const Study& study, const std::vector<std::string>& marks, Problems& problems) {
  const DataOptions& data = study.data;
  const auto refuse = [&](const std::string& file, const std::string& key, const char* why) {
    problems.add({file, key}, fmt::format("{} cannot be combined with {} ({}). Leave out one of them.",
                                          assignment(study, file), assignment(study, key), why));
  };
  if (!data.validation_file.empty()) {
    std::vector<std::string> keys = marks;
    if (data.validation.value_or(0) > 0) keys.emplace_back("data.validation");
    if (study.search.folds > 1) keys.emplace_back("search.folds");
    for (const auto& key : keys) refuse("data.validation_file", key, "the validation rows are those of the file");
  }
  if (!data.test_file.empty() && data.test > 0)
    refuse("data.test_file", "data.test", "the test rows are those of the file");
  if (data.mode != DataMode::streamed) return;
  for (const auto& [key, path] :
       {std::pair("data.validation_file", data.validation_file), {"data.test_file", data.test_file}})
    if (!path.empty())
      problems.add({key, "data.mode"},
                   fmt::format("{} needs rows in memory, but data.mode = streamed. Set data.mode = memory, or hold out "
                               "rows of data.file.",
                               assignment(study, key)));
}

void check_file_data(const Study& study, Problems& problems) {
  if (study.data.file.empty())
    problems.add({"data.source", "data.file"},
                 "data.source = file needs data.file. Set data.file to an HDF5 file, or data.source = synthetic.");
  std::vector<std::string> keys, values;
  for (const auto& [key, name] : {std::pair("data.groups", study.data.groups),
                                  {"data.folds", study.data.folds},
                                  {"data.time", study.data.time}}) {
    if (!name || name->empty()) continue;
    keys.emplace_back(key);
    values.push_back(assignment(study, key));
  }
  if (keys.size() > 1)
    problems.add(keys,
                 fmt::format("{} cannot be combined with {} (rows are held out by groups, by given folds or in the "
                             "order of time). Leave out all but one of them.",
                             values[0], values[1]));
  check_held_out_files(study, keys, problems);
}

void check_synthetic_data(const Study& study, Problems& problems) {
  const DataOptions& data = study.data;
  if (data.task == Task::multilabel)
    problems.add({"data.task", "data.source"},
                 "data.task = multilabel needs a data file, but data.source = synthetic. Set data.file.");
  if (data.task == Task::classification && data.classes == 0)
    problems.add({"data.task", "data.classes", "data.source"},
                 "synthetic data for classification needs a number of classes, but data.classes = auto. Set "
                 "data.classes.");
  const ImageShape& image = data.image;
  if (image.channels != 0 && image.channels * image.height * image.width != data.columns)
    problems.add({"data.image", "data.columns", "data.source"},
                 fmt::format("{} has {} values, but data.columns = {}. Set data.columns = {}.",
                             assignment(study, "data.image"), image.channels * image.height * image.width, data.columns,
                             image.channels * image.height * image.width));
  if (data.draw == Draw::iteration && (study.search.folds > 1 || study.ensemble.members > 1))
    problems.add(
        {"data.draw", "search.folds", "ensemble.members", "data.source"},
        fmt::format(
            "data.draw = iteration cannot be combined with {} (folds and members need the same data in all "
            "iterations). Set data.draw = study.",
            study.search.folds > 1 ? assignment(study, "search.folds") : assignment(study, "ensemble.members")));
  if (data.rows < study.search.folds)
    problems.add({"data.rows", "search.folds", "data.source"},
                 fmt::format("data.rows = {} is less than search.folds = {}. Use more rows or fewer folds.", data.rows,
                             study.search.folds));
}

}  // namespace

void check_data(const Study& study, Problems& problems) {
  if (study.data.source == DataSource::file)
    check_file_data(study, problems);
  else
    check_synthetic_data(study, problems);
  if (study.data.validation > 0.0 && study.search.folds > 1)
    problems.add(
        {"data.validation", "search.folds"},
        fmt::format("data.validation = {} cannot be combined with search.folds = {} (the folds select the validation "
                    "rows). Leave out one of them.",
                    *study.data.validation, study.search.folds));
}

// Scaled targets need a last layer whose weights and bias can be converted to the units of the targets.
void check_target_normalization(const Study& study, Problems& problems) {
  if (study.data.normalize_targets != NormalizeTargets::standard) return;
  if (study.train.loss != automatic && loss_of(study.train.loss).needs_counts())
    return problems.add({"data.normalize_targets", "train.loss"},
                        fmt::format("data.normalize_targets = standard cannot be combined with {} (scaled targets are "
                                    "negative). Set data.normalize_targets = none.",
                                    assignment(study, "train.loss")));
  const bool foreign = is_user_module(study.model.kind);
  if (foreign || (is_network(study.model.kind) && !study.model.bias))
    problems.add({"data.normalize_targets", foreign ? "model.kind" : "model.bias"},
                 fmt::format("data.normalize_targets = standard needs one of Sheaf's networks with a bias, but {}. Set "
                             "data.normalize_targets = none.",
                             assignment(study, foreign ? "model.kind" : "model.bias")));
}

}  // namespace sheaf
