// What to do next with a run: sentences that follow from its results by simple rules. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/run_report.hpp"
#include "study/search_options.hpp"

namespace sheaf {

/// A searched key with its best value.
struct BestKeyValue {
  SearchedKey searched;
  std::string best;
};

/// What the rules look at.
struct AdviceFacts {
  std::string resume;        ///< the command that continues the run; empty: there is nothing to continue
  std::int64_t trained = 0;  ///< iterations with a result, without pruned ones
  std::int64_t failed = 0, diverged = 0;
  std::vector<BestKeyValue> keys;
  std::vector<double> best_values;    ///< of the best trials, best first
  double fold_deviation = 0;          ///< sample standard deviation of the best trial's folds
  std::int64_t folds = 0;             ///< of the best trial, in all repeats
  std::int64_t repeats = 1;           ///< search.repeats
  bool may_add_repeats = false;       ///< whether the run can be extended by more
  std::vector<LearningCurve> curves;  ///< best first
  TimeShares shares;
  std::int64_t lanes = 0;
  bool has_static_partition = false;  ///< lanes get their iterations in advance
  bool has_batch = false;             ///< trials depend on results (search.batch)
  bool has_validation = true;
  bool records_curves = false;
  bool is_search = false;
  std::string directory;
  std::optional<ModelsKind> models;  ///< with which the run predicts; nothing: none was saved
  bool is_tested = false;            ///< whether they were evaluated on test rows
};

AdviceFacts advice_facts(const RunReport& report);

/// Two to five sentences, the most urgent first.
std::vector<std::string> advice_for(const AdviceFacts& facts);

}  // namespace sheaf
