// The files of a run directory.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "options/study.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"
#include "results/leaderboard.hpp"

namespace sheaf {

/// One rank of the run, for the table /ranks.
struct RankInfo {
  std::string host;
  std::string device;  ///< "cpu", "cuda:0 NVIDIA H200"
  std::int64_t cores = 0;
  std::int64_t lanes = 0;
  std::int64_t threads = 0;
  std::string note;
};

/// Everything a run directory tells of a finished run.
struct RunResults {
  std::vector<IterationRecord> records;  ///< every iteration, in order
  std::vector<std::string> messages;     ///< of each iteration: why it failed; empty unless it did
  std::vector<EpochRecord> epochs;       ///< by iteration, then epoch; of studies with `run.curves`
  std::vector<EnsembleRecord> ensembles;
  std::vector<RankInfo> ranks;      ///< in rank order
  std::int64_t streamed_bytes = 0;  ///< of features, read by all ranks while they trained; 0: none were streamed
  std::vector<std::string> engine_reasons;  ///< of each trial: why LibTorch trains it; empty: it need not
  std::vector<std::pair<std::string, std::string>> provenance;
};

/// The directory of the study's run: run.output, or runs/<study.name>.
std::string run_directory(const Study& study);

/// Whether the directory holds a run, finished or not. Local.
bool holds_run(const std::string& directory);

/// Whether its results are there. Local.
bool holds_results(const std::string& directory);

/// Throws RunError when it does. Local.
void require_no_run(const std::string& directory);

/// Puts the resolved study into the directory, which exists, as study.cfg. Throws RunError. Local, for rank 0.
void write_study(const std::string& directory, const Study& study);

/// Writes results.h5, then results.csv, each under a temporary name first: a directory with results.csv is complete.
/// Throws RunError. Local, for rank 0.
void write_results(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results);

}  // namespace sheaf
