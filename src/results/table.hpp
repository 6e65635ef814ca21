// Tables of results: columns with names, as CSV text. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5/table_writer.hpp"
#include "options/study.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"
#include "results/leaderboard.hpp"

namespace sheaf {

using Table = std::vector<TableColumn>;

/// One row an iteration, in order. Columns: iteration, trial, fold, member, repeat, seed, the searched keys, status,
/// final_loss, validation_loss, validation_score, epochs, steps, seconds, wait_seconds, rank, lane, device, engine,
/// message (why it failed). `messages`: one a record.
Table iteration_table(const Plan& plan, const std::vector<IterationRecord>& records,
                      const std::vector<std::string>& messages);

/// One row an epoch. Columns: iteration, epoch, training_loss, validation_loss, validation_score.
Table epoch_table(const std::vector<EpochRecord>& epochs);

/// One row a trial, best first. Columns: rank, trial, the searched keys, mean_score, score_deviation,
/// mean_validation_loss, mean_final_loss, iterations, diverged, seconds.
Table trial_table(const Plan& plan, const std::vector<TrialSummary>& trials);

/// One row an ensemble. Columns: trial, repeat, fold, score, mean_member_score.
Table ensemble_table(const std::vector<EnsembleRecord>& ensembles);

/// RFC 4180 with "\n" line ends; numbers in the shortest form that reads back exactly; not-a-number is empty.
std::string csv_text(const Table& table);

}  // namespace sheaf
