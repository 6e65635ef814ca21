// The Tree-structured Parzen Estimator: draws a trial from the results of others. Pure.
// Source: Bergstra et al. 2011, in the form of Optuna 5.0: TPESampler with multivariate=True and group=True.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/parzen_estimator.hpp"
#include "search/search_axis.hpp"
#include "study/search_options.hpp"

namespace sheaf {

/// The value of each searched key in a trial, as text in canonical form; nothing: the key has no effect in the trial.
using TrialValues = std::vector<std::optional<std::string>>;

/// The result of a finished trial.
struct TpeResult {
  double cost = 0;  ///< the lower the better, of the folds so far if the trial is pruned; worst if it is not finite
  std::optional<std::int64_t> pruned_after;  ///< the folds of a pruned trial that are trained; nothing: complete
};

/// The model of keys that have an effect in the same trials.
struct TpeModel {
  std::vector<std::size_t> keys;  ///< ascending; the axes of the estimators
  ParzenEstimator below, above;   ///< the densities of the best trials and of all others
};

/// The finished trials of a search, and draws from them. A draw depends on nothing else but the seed and the pending
/// trials. Adding a trial and drawing one take linear time. Thread-safe, except for add().
///
/// Unlike in Optuna, failed trials count, as the worst ones; of equal observations, the older one is the lower neighbor
/// (Optuna's order depends on the processor); and drawn numbers have at most six significant digits.
class Tpe {
 public:
  /// Until as many trials are finished, trials are those of a random search.
  static constexpr std::int64_t startup_trials = 10;

  /// Requires at least one key. Its values are its candidates, or the numbers of its range.
  Tpe(const std::vector<SearchedKey>& keys, std::uint64_t seed);

  /// Adds the next finished trial, in the order of their numbers. A failed or diverged trial is complete,
  /// with a cost that is not finite.
  void add(const TrialValues& values, const TpeResult& result);

  std::int64_t finished_count() const { return finished_count_; }

  /// Draws the values of a trial. Pending trials count as bad, but not among the finished. Requires startup_trials
  /// finished trials. `trial`: its number, which selects the random numbers.
  ///
  /// Each group of keys (see models()) is drawn without regard to the others: the first one with the largest ratio of
  /// the densities below / above among 24 points from `below`. So all keys get a value, also those that turn out to
  /// have no effect in the trial: the conditions of a key are decided by these values, as in a random search
  /// (TrialSpace).
  std::vector<std::string> draw(std::int64_t trial, const std::vector<TrialValues>& pending) const;

  /// The models of all groups of keys. Two keys are in the same group if they have an effect in the same finished
  /// trials; a key that has no effect in any of them is a group of its own. The trials of a group are those in which it
  /// has an effect.
  ///
  /// Below are the best min(ceil(n / 10), 25) of all n finished trials: complete ones by cost, then pruned ones by the
  /// number of folds, the larger the better, then by cost; of equal ones the first.
  std::vector<TpeModel> models(const std::vector<TrialValues>& pending) const;

  /// The position of a value on the axis of a key, and the value at a position.
  double position(std::size_t key, const std::string& value) const;
  std::string value(std::size_t key, double position) const;

 private:
  using Trials = std::vector<std::int32_t>;  // numbers of trials

  // The positions of trials on an axis; NaN: the key has no effect.
  using Positions = std::vector<double>;

  bool ranks_before(std::int32_t a, std::int32_t b) const;
  void divide_groups(const TrialValues& values);
  TpeModel model_of(const std::vector<std::size_t>& group, const std::vector<Positions>& positions,
                    const std::vector<bool>& is_below) const;

  std::vector<SearchedKey> keys_;
  std::vector<SearchAxis> axes_;
  std::uint64_t seed_;
  std::int64_t finished_count_ = 0;
  std::vector<TpeResult> results_;
  Trials ranking_;                    // best first
  std::vector<Positions> positions_;  // by key
  std::vector<Trials> ascending_;     // by key: the trials in which it has an effect, by position, then by number
  std::vector<std::vector<std::size_t>> groups_;  // of the keys that have an effect in finished trials
};

}  // namespace sheaf
