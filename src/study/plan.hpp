// A study's trials and iterations, each computed from its number: nobody keeps a list of them. A pure function of the
// study: it never depends on ranks or lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/combinations.hpp"
#include "study/study.hpp"
#include "study/trial.hpp"

namespace sheaf {

/// The keys that decide which network a trial has, and the precision of its arithmetic: all that an engine must know to
/// accept it. Pure.
bool decides_network(const std::string& key);

/// The iterations of a study, numbered with the trial slowest, then repeat, fold, and member fastest.
class Plan {
 public:
  /// Throws UsageError when there would be more than 2^32 - 1 iterations.
  explicit Plan(const Study& study);

  std::int64_t iteration_count() const;
  Iteration iteration(std::int64_t number) const;
  /// The iteration's number from its place; the inverse of `iteration`.
  std::int64_t number_of(std::int64_t trial, std::int64_t repeat, std::int64_t fold, std::int64_t member) const;

  std::int64_t trial_count() const { return combinations_.count(); }
  /// About a microsecond: whoever needs a trial more than once keeps it.
  Trial trial(std::int64_t number) const;
  using VisitTrial = std::function<void(std::int64_t number, const Trial& trial)>;
  /// Visits, in ascending order, the first trial with each choice of candidates for the keys that `counts` selects: for
  /// checks that depend on these keys alone.
  void for_each_distinct(const KeyFilter& counts, const VisitTrial& visit) const;
  /// The same for each network (decides_network).
  void for_each_network(const VisitTrial& visit) const { for_each_distinct(decides_network, visit); }
  /// The trial of for_each_network() that has the same network.
  std::int64_t first_of_network(std::int64_t trial) const { return combinations_.first_alike(trial, decides_network); }

  const std::vector<std::string>& searched_keys() const { return searched_keys_; }
  /// The candidates of searched_keys()[key], and the one that a trial has.
  const std::vector<std::string>& candidates(std::size_t key) const { return combinations_.candidates(key); }
  const std::string& value(std::int64_t trial, std::size_t key) const { return combinations_.value(trial, key); }
  std::int64_t repeats() const { return repeats_; }
  std::int64_t folds() const { return folds_; }
  std::int64_t members() const { return members_; }

 private:
  std::uint64_t seed_;
  std::int64_t repeats_ = 0;
  std::int64_t folds_;
  std::int64_t members_;
  std::vector<std::string> searched_keys_;
  Combinations combinations_;
  Study base_;  // the study's model and training, nothing else: it is copied for each trial
};

}  // namespace sheaf
