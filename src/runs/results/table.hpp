// Tables of results, and their text as CSV. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "data/row_set.hpp"
#include "files/hdf5/table_writer.hpp"
#include "search/leaderboard.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

using Table = std::vector<TableColumn>;

// The column of a searched key has the key's type: integers, numbers or flags; text for choices and lists, and for
// numbers if a candidate is a word such as "full".

// `metrics` are those of run.metrics.

/// One row per iteration, in order. Columns: iteration, stage, trial, fold, member, repeat, seed, the searched keys,
/// `result_fields`, the metrics, message (why it failed).
Table iteration_table(const Plan& plan, const std::vector<TrainedIteration>& iterations,
                      const std::vector<MetricChoice>& metrics = {});

/// Sizes that must be known before the first rows of the tables of iterations and epochs are written.
struct TableExtent {
  std::int64_t epochs = 0;                                ///< rows of the table of epochs
  std::int64_t predicted_rows = 0;                        ///< rows of the table of predictions
  std::array<std::int64_t, 4> longest_texts{1, 1, 1, 1};  ///< in bytes: status, device, engine, message

  void add(const TrainedIteration& iteration);
};

/// One row per validation row of an iteration, in the order of the rows. Columns: iteration, row (of the data), and
/// target (the class) and probabilities [classes], or targets and probabilities [labels], or targets and values
/// [outputs] in the units of the file. The numbers are 32-bit, values with offsets 64-bit. `predictions`: [rows,
/// outputs], as in TrainedIteration.
Table prediction_table(std::int64_t iteration, const std::vector<float>& predictions, const DataSet& data,
                       const RowSet& rows);
/// Its columns.
std::vector<ColumnType> prediction_columns(const DataSet& data);

/// The columns of iteration_table() with room for all its texts.
std::vector<ColumnType> iteration_columns(const Plan& plan, const TableExtent& extent,
                                          const std::vector<MetricChoice>& metrics = {});

/// One row per epoch of the iterations. Columns: iteration, `epoch_fields`, the metrics.
Table epoch_table(const std::vector<TrainedIteration>& iterations, const std::vector<MetricChoice>& metrics = {});

/// One row per trial, best first. Columns: rank, stage (the last that trained it), trial, the searched keys,
/// mean_score, score_deviation, scores (the number of scores in the mean), mean_validation_loss, mean_final_loss,
/// mean_NAME for each metric, iterations, diverged, left_out, cut, seconds.
Table trial_table(const Plan& plan, const std::vector<TrialSummary>& trials,
                  const std::vector<MetricChoice>& metrics = {});

/// One row per ensemble. Columns: stage, trial, repeat, fold, score, mean_member_score, the metrics.
Table ensemble_table(const std::vector<EnsembleResult>& ensembles, const std::vector<MetricChoice>& metrics = {});

/// The columns of trial_table() with room for all its texts.
std::vector<ColumnType> trial_columns(const Plan& plan, const std::vector<MetricChoice>& metrics = {});

/// CSV after RFC 4180, but with "\n" line ends: a line with the names of the columns, and one line per row. Numbers are
/// written in the shortest form that reads back exactly; NaN is empty; flags are true or false.
std::string csv_header(const Table& table);
std::string csv_rows(const Table& table);

}  // namespace sheaf
