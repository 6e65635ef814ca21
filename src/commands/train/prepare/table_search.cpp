// SPDX-License-Identifier: MIT
#include "commands/train/prepare/table_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "study/searched_keys.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// With fewer rows, each trial is trained in five folds; with more, a fifth of the rows is held out, but not too many.
constexpr std::int64_t few_rows = 1500, folds = 5, most_held_out_rows = 10000;
constexpr double held_out_part = 0.2;

constexpr std::int64_t rounds = 2000, rounds_without_gain = 24;

// The folds of trees with more rows times classes (a round has a tree for each class) are not trained in a second.
constexpr std::int64_t rows_per_second = 2500;

// Above these, a short search has no time for many rounds. With many rows, networks follow all trees; with many
// classes, they come first, because a round then has many trees.
constexpr std::int64_t many_rows = 10000, many_classes = 3, short_seconds = 4;

// Below this, smaller learning rates find a better epoch.
constexpr std::int64_t very_few_rows = 1000;

constexpr const char* keys_of_the_task[] = {"train.loss", "train.class_weights"};

bool is_of_the_task(const std::string& key) {
  return std::any_of(std::begin(keys_of_the_task), std::end(keys_of_the_task),
                     [&](const char* other) { return key == other; });
}

// Whether all keys of a section have their default values, except those of the task.
bool has_defaults(const Study& study, const std::string& section) {
  return std::all_of(settings_table().begin(), settings_table().end(), [&](const Setting& setting) {
    const std::string& key = setting.info.key;
    return key.rfind(section + ".", 0) != 0 || is_of_the_task(key) || setting.text(study) == setting.info.default_value;
  });
}

struct Trees {
  double eta;
  int max_depth, max_leaves;  // max_leaves: 0: none
  double subsample, colsample_bynode, min_child_weight, lambda;
  int max_cat_to_onehot;
};

// By the number of the configuration in the measurements.
constexpr Trees trees[] = {
    {0.06, 6, 0, 0.8, 0.8, 1, 1, 8},  {0.06, 6, 0, 0.8, 0.4, 0.05, 1, 1000},   {0.06, 4, 0, 0.7, 0.3, 0.3, 1, 1000},
    {0.06, 8, 0, 0.7, 0.5, 3, 3, 8},  {0.06, 3, 0, 0.6, 0.3, 5, 10, 1000},     {0.08, 10, 24, 0.8, 0.6, 0.1, 0.3, 1000},
    {0.05, 10, 0, 0.5, 0.3, 5, 5, 8}, {0.06, 5, 0, 0.9, 0.5, 0.01, 0.1, 1000},
};
// The first ones complement each other best.
constexpr std::size_t first_trees[] = {7, 6, 2, 5}, other_trees[] = {0, 1, 3, 4};
constexpr double fast_eta = 0.15, linear_rate = 1.5e-3;

StartTrial trial_of(const Trees& one, bool is_fast) {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"model.kind", "boosted_trees"},
          {"model.eta", text(is_fast ? fast_eta : one.eta)},
          {"model.max_depth", text(one.max_depth)},
          {"model.max_leaves", one.max_leaves == 0 ? "none" : text(one.max_leaves)},
          {"model.subsample", text(one.subsample)},
          {"model.colsample_bynode", text(one.colsample_bynode)},
          {"model.min_child_weight", text(one.min_child_weight)},
          {"model.lambda", text(one.lambda)},
          {"model.max_cat_to_onehot", text(one.max_cat_to_onehot)}};
}

StartTrial trial_of(const char* kind, const char* embedding, double rate) {
  return {{"model.kind", kind}, {"model.embedding", embedding}, {"train.learning_rate", fmt::format("{}", rate)}};
}

// Without and with an embedding of the numbers, two learning rates each, the larger one first.
std::deque<StartTrial> networks(std::int64_t rows) {
  const bool are_very_few = rows < very_few_rows;
  std::deque<StartTrial> trials;
  for (const char* embedding : {"none", "piecewise"})
    for (const double rate : {are_very_few ? 8e-4 : 1.5e-3, are_very_few ? 2e-4 : 4e-4}) {
      trials.push_back(trial_of("mlp", embedding, rate));
      trials.back().emplace_back("model.dropout", "0.15");
    }
  return trials;
}

std::vector<StartTrial> start_trials(std::int64_t rows, std::int64_t classes, std::int64_t seconds, bool has_trees) {
  const bool is_short = seconds <= short_seconds;
  const bool has_many_rows = rows > many_rows, has_many_classes = classes > many_classes;
  const bool is_fast = is_short && (has_many_rows || has_many_classes);
  std::vector<StartTrial> trials = {trial_of("linear", "none", linear_rate)};
  std::deque<StartTrial> left = networks(rows);
  const auto append_networks = [&](std::size_t count) {
    for (; count > 0 && !left.empty(); --count, left.pop_front()) trials.push_back(std::move(left.front()));
  };
  const auto append_tree = [&](std::size_t number) {
    if (has_trees) trials.push_back(trial_of(trees[number], is_fast));
  };
  if (has_many_classes) append_networks(2);
  append_tree(first_trees[0]);
  if (has_many_rows && !has_many_classes && !is_short) append_networks(1);
  std::for_each(std::begin(first_trees) + 1, std::end(first_trees), append_tree);
  if (!has_many_rows) append_networks(left.size());
  std::for_each(std::begin(other_trees), std::end(other_trees), append_tree);
  append_networks(left.size());
  trials.push_back(trial_of("linear", "piecewise", linear_rate));
  return trials;
}

void search_key(Study& study, const std::string& key, const std::string& values) {
  std::vector<std::string> problems;
  set_searched_key(study.search, read_searched_key(key, values, {}, problems));
  assert(problems.empty());
}

// Larger batches for more rows, so that an epoch has enough steps but not too many (as in TabArena's TabM).
std::int64_t batch_size_of(std::int64_t rows) {
  if (rows < 2800) return 32;
  if (rows < 4500) return 64;
  if (rows < 6400) return 128;
  return rows < 32000 ? 256 : 512;
}

}  // namespace

bool searches_table(const Study& study, const FileSchema& file) {
  const SearchOptions& search = study.search;
  const bool has_only_time = search.time > 0 && search.method == automatic && search.keys.empty() &&
                             search.trials == 0 && search.start.empty() && search.start_run.empty() &&
                             search.folds == 1 && search.repeats == 1 && search.patience == 0 &&
                             search.racing == Racing::none;
  const AutoOr<LossKind> loss = study.train.loss;
  return has_only_time && study.study.iterations == 1 && study.ensemble.members == 1 && !study.ensemble.bootstrap &&
         study.data.mode != DataMode::streamed && file.layout.image.channels == 0 && !file.has_byte_features() &&
         (loss == automatic || loss_of(loss).fits_trees()) && has_defaults(study, "model") &&
         has_defaults(study, "train");
}

bool may_search_table(Study study, const FileSchema& file) {
  if (study.search.time == 0) study.search.time = 1;
  return searches_table(study, file);
}

Study with_table_search(Study study, const FileSchema& file, bool has_trees) {
  auto& [options, data, model, train, ensemble, search, run] = study;
  const std::int64_t rows = file.rows;
  const bool chooses_rows = !data.validation && data.validation_file.empty() && file.marks.kind != MarkKind::folds;
  const bool has_time = rows * std::max<std::int64_t>(file.classes, 1) <= rows_per_second * search.time;
  if (chooses_rows && rows < few_rows && has_time)
    search.folds = std::min(folds, rows);
  else if (chooses_rows)
    data.validation = std::min(held_out_part, static_cast<double>(most_held_out_rows) / static_cast<double>(rows));
  model.hidden = {256, 256};
  train.epochs = rounds;
  train.patience = rounds_without_gain;
  train.batch_size = batch_size_of(rows);
  train.optimizer = OptimizerKind::adamw;
  train.weight_decay = 0.03;
  run.refit = true;
  search.ensemble = EnsembleKind::greedy;
  run.predictions = PredictionsKept::held_out;
  search_key(study, "model.kind", has_trees ? "boosted_trees, mlp, linear" : "mlp, linear");
  if (has_trees) {
    search_key(study, "model.eta", "log_uniform(0.03, 0.2)");
    search_key(study, "model.max_depth", "integer(3, 10)");
    search_key(study, "model.max_leaves", "none, 24");
    search_key(study, "model.subsample", "uniform(0.5, 0.9)");
    search_key(study, "model.colsample_bynode", "uniform(0.3, 0.8)");
    search_key(study, "model.min_child_weight", "log_uniform(0.01, 5)");
    search_key(study, "model.lambda", "log_uniform(0.1, 10)");
    search_key(study, "model.max_cat_to_onehot", "8, 1000");
  }
  search_key(study, "model.embedding", "none, piecewise");
  search_key(study, "model.dropout", "uniform(0, 0.3)");
  search_key(study, "train.learning_rate", "log_uniform(2e-4, 3e-3)");
  search.method = SearchMethod::random;
  search.start = start_trials(rows, file.classes, search.time, has_trees);
  return study;
}

std::string table_search_text(const Study& study) {
  const std::string rows = study.search.folds > 1
                               ? fmt::format("{} folds", study.search.folds)
                               : fmt::format("{:.3g} % of the rows held out", 100 * study.data.validation.value_or(0));
  return fmt::format(
      "search.time alone: {} of {}, then drawn ones, with {}; their best ensemble is trained again on all rows",
      counted(static_cast<std::int64_t>(study.search.start.size()), "trial"),
      is_searched(study, "model.eta") ? "boosted trees, networks and a linear model" : "networks and a linear model",
      study.data.validation_file.empty() ? rows : "the validation file");
}

}  // namespace sheaf
