// SPDX-License-Identifier: MIT
#include "data/split_sizes.hpp"

#include <fmt/format.h>

#include <string>

#include "core/error.hpp"
#include "core/text.hpp"
#include "data/row_draws.hpp"
#include "study/study.hpp"

namespace sheaf {

std::int64_t rows_without_test(const DataOptions& options, std::int64_t rows) {
  return options.test > 0 ? rows - holdout_count(rows, options.test) : rows;
}

std::int64_t least_validation_rows(const Study& study, const RowCounts& rows) {
  if (rows.validation_file > 0) return rows.validation_file;
  const std::int64_t left = rows_without_test(study.data, rows.own), folds = study.search.folds;
  const double validation = study.data.validation.value_or(0);
  if (folds > 1) return left / (is_ordered(study.data) ? folds + 1 : folds);
  return validation > 0 ? holdout_count(left, validation) : 0;
}

namespace {

// The training rows of the fold that has the fewest.
std::int64_t least_training_rows(const Study& study, std::int64_t left) {
  const std::int64_t folds = study.search.folds;
  const double validation = study.data.validation.value_or(0);
  if (folds == 1) return validation > 0 ? left - holdout_count(left, validation) : left;
  return is_ordered(study.data) ? left - folds * (left / (folds + 1)) : left - (left + folds - 1) / folds;
}

}  // namespace

std::int64_t stopping_row_count(const Study& study, const RowCounts& rows) {
  const double fraction = study.train.stop_fraction;
  return fraction > 0 ? holdout_count(least_training_rows(study, rows_without_test(study.data, rows.own)), fraction)
                      : 0;
}

void require_enough_rows(const Study& study, std::int64_t rows) {
  require(rows > 0, "The data set has no rows to train on.");
  const std::int64_t left = rows_without_test(study.data, rows), folds = study.search.folds;
  require(left > 0, fmt::format("No row is left to train on (data.test = {} holds out {} of {}). Reduce data.test.",
                                study.data.test, rows - left, counted(rows, "row")));
  const double validation = study.data.validation.value_or(0);
  const std::string without_test = study.data.test > 0 ? " without those of data.test" : "";
  if (folds > 1) {
    require(left >= folds,
            fmt::format("The data set has fewer rows than folds ({}{}, search.folds = {}). Use fewer folds.",
                        counted(left, "row"), without_test, folds));
    require(left > folds || !is_ordered(study.data),
            fmt::format("The data set has too few rows for folds in time ({}{}, search.folds = {} needs one more). Use "
                        "fewer folds.",
                        counted(left, "row"), without_test, folds));
  } else if (validation > 0) {
    const std::int64_t held_out = holdout_count(left, validation);
    require(held_out < left,
            fmt::format("No row is left to train on (data.validation = {} holds out {} of {}{}). Reduce {}.",
                        validation, held_out, counted(left, "row"), without_test,
                        left == 1 && study.data.test > 0 ? "data.test" : "data.validation"));
  }
  const double stopping = study.train.stop_fraction;
  const std::int64_t training = least_training_rows(study, left);
  require(stopping == 0 || holdout_count(training, stopping) < training,
          fmt::format("No row is left to train on (train.stop_fraction = {} holds out {} of {}). Reduce it.", stopping,
                      holdout_count(training, stopping), counted(training, "training row")));
}

}  // namespace sheaf
