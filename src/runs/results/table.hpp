// Tables of results: columns with names, as CSV text. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "files/hdf5/table_writer.hpp"
#include "search/leaderboard.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

using Table = std::vector<TableColumn>;

/// One row an iteration, in order. Columns: iteration, stage, trial, fold, member, repeat, seed, the searched keys,
/// status, final_loss, validation_loss, validation_score, epochs, steps, seconds, wait_seconds, rank, lane, device,
/// engine, message (why it failed).
Table iteration_table(const Plan& plan, const std::vector<TrainedIteration>& iterations);

/// Sizes that must be known before the first row of the iterations' and epochs' tables is written.
struct TableExtent {
  std::int64_t epochs = 0;                                ///< rows of the epochs' table
  std::array<std::int64_t, 4> longest_texts{1, 1, 1, 1};  ///< in bytes: status, device, engine, message

  void add(const TrainedIteration& iteration);
};

/// The columns of iteration_table() with room for all its texts.
std::vector<ColumnType> iteration_columns(const Plan& plan, const TableExtent& extent);

/// One row an epoch. Columns: iteration, epoch, training_loss, validation_loss, validation_score.
Table epoch_table(const std::vector<EpochResult>& epochs);

/// One row a trial, best first. Columns: rank, stage (the last that trained it), trial, the searched keys, mean_score,
/// score_deviation, mean_validation_loss, mean_final_loss, iterations, diverged, seconds.
Table trial_table(const Plan& plan, const std::vector<TrialSummary>& trials);

/// One row an ensemble. Columns: stage, trial, repeat, fold, score, mean_member_score.
Table ensemble_table(const std::vector<EnsembleResult>& ensembles);

/// The columns of trial_table() with room for all its texts.
std::vector<ColumnType> trial_columns(const Plan& plan);

/// RFC 4180 with "\n" line ends; numbers in the shortest form that reads back exactly; not-a-number is empty. The names
/// of the columns in one line, then one line per row.
std::string csv_header(const Table& table);
std::string csv_rows(const Table& table);

}  // namespace sheaf
