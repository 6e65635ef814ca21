// SPDX-License-Identifier: MIT
#include "commands/train/prepare/row_weights_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/interruption.hpp"
#include "study/settings.hpp"
#include "study/study.hpp"
#include "training/class_weights.hpp"

namespace sheaf {
namespace {

// "data.weights = w and train.class_weights = cat:0"
std::string sources_of(const Study& study, const TrainOptions& train) {
  const std::string of_rows = study.data.weights.empty() ? "" : fmt::format("data.weights = {}", study.data.weights);
  if (!train.class_weights.any()) return of_rows;
  Study trained = study;
  trained.train = train;
  return fmt::format("{}{}train.class_weights = {}", of_rows, of_rows.empty() ? "" : " and ",
                     setting_text(trained, "train.class_weights"));
}

// Of one split; `place`: "", or " of fold 2".
std::string problem_of_split(const Study& study, const TrainOptions& train, const DataSet& data, const Split& split,
                             const RowSet& test_rows, const std::string& place) {
  const std::vector<double> of_classes = class_weights(train, data, split.training_rows);
  const auto weigh_nothing = [&](const RowSet& rows) {
    return !rows.empty() && !any_row_counts(data, of_classes, rows);
  };
  const std::string sources = sources_of(study, train);
  if (weigh_nothing(split.training_rows))
    return fmt::format(
        "all training rows{} weigh 0 ({}), so there is nothing to train on. Change the weights, or hold "
        "out other rows.",
        place, sources);
  if (!study.search.weighted) return "";
  for (const auto& [rows, name] :
       {std::pair(&split.validation_rows, "validation"), {&split.stopping_rows, "stopping"}, {&test_rows, "test"}})
    if (weigh_nothing(*rows))
      return fmt::format(
          "all {} rows{} weigh 0 ({}), so none of them counts. Change the weights, set search.weighted "
          "= false, or hold out other rows.",
          name, rows == &test_rows ? "" : place, sources);
  return "";
}

}  // namespace

std::string row_weights_problem(const Study& study, const Plan& plan, const DataSet& data, Splits& splits) {
  constexpr std::int64_t max_splits = 100, max_rows = 1'000'000'000;
  std::vector<TrainOptions> trained;  // with different weights
  plan.for_each_distinct([](const std::string& key) { return key == "train.class_weights"; },
                         [&](const Trial& trial, double) {
                           if (data.weights != nullptr || trial.train.class_weights.any())
                             trained.push_back(trial.train);
                         });
  if (trained.empty()) return "";
  const std::int64_t checked = std::min({splits.count(), max_splits, 1 + max_rows / data.rows});
  const std::int64_t folds = std::max<std::int64_t>(1, study.search.folds);
  for (std::int64_t number = 0; number < checked; ++number) {
    leave_if_interrupted();
    Split split;
    splits.rows_of_split(number / folds, number % folds, split);
    const std::string place = folds == 1 ? "" : fmt::format(" of fold {}", number % folds);
    for (const TrainOptions& train : trained)
      if (auto problem = problem_of_split(study, train, data, split, splits.test_rows(), place); !problem.empty())
        return problem;
  }
  return "";
}

}  // namespace sheaf
