// The trials from which an ensemble is selected, and their predictions for held-out rows. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "data/row_set.hpp"
#include "search/leaderboard.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// The most trials from which an ensemble is selected: the best ones.
inline constexpr std::size_t max_ensemble_candidates = 50;

/// The best trials all of whose iterations finished, trained to the end of train.epochs in all folds and repeats.
/// `trials`: the leaderboard, best first. `is_usable`: whether the predictions of these iterations of a trial are
/// known; other trials are no candidates. The iterations of a trial may be several ranges.
std::vector<TrialSummary> ensemble_candidates(const Plan& plan, const std::vector<TrialSummary>& trials,
                                              const std::function<bool(IndexRange iterations)>& is_usable);

/// The rows that are held out in any split, and means of values for them.
class HeldOutRows {
 public:
  /// `splits`: the validation rows of each split, of a data set with `data_rows` rows.
  HeldOutRows(const std::vector<RowSet>& splits, std::int64_t data_rows);

  /// In the data set, ascending.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  std::int64_t count() const { return static_cast<std::int64_t>(numbers_.size()); }
  /// The same rows.
  RowSet set() const;

  /// The means of values [count()] or [count(), width] over all splits that hold out the row: one in each repeat, or
  /// several if models of an ensemble are added one by one.
  class Mean {
   public:
    Mean(const HeldOutRows& rows, std::int64_t width);
    /// `values`: [split.count(), width], for the rows of a split. They are summed in double, in the order of the calls.
    void add(const RowSet& split, const float* values);
    /// [count(), width]. All splits must have been added.
    std::vector<float> values() const;

   private:
    const HeldOutRows& rows_;
    const std::int64_t width_;
    std::vector<double> sums_;          // [count(), width]
    std::vector<std::int64_t> counts_;  // [count()]
  };

 private:
  std::int64_t data_rows_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> positions_;  // [data rows] of a row among numbers_; -1: it is in no split
};

}  // namespace sheaf
