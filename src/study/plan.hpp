// A study's ordered list of iterations. A pure function of the study: it never depends on ranks or lanes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// One point of the search space; a study without a search has one.
struct Trial {
  std::vector<std::string> values;  ///< of the searched keys, in their order, in the canonical form
  ModelOptions model;
  TrainOptions train;
};

/// Where iteration `number` stands. All indices count from 0.
struct Iteration {
  std::int64_t number = 0;
  std::int64_t trial = 0;
  std::int64_t repeat = 0;
  std::int64_t fold = 0;
  std::int64_t member = 0;
  std::uint64_t seed = 0;
};

/// The iterations of a study, numbered with the trial slowest, then repeat, fold, and member fastest.
class Plan {
 public:
  /// Throws UsageError when there would be more than 2^32 - 1 iterations.
  explicit Plan(const Study& study);

  std::int64_t iteration_count() const;
  Iteration iteration(std::int64_t number) const;
  /// The iteration's number from its place; the inverse of `iteration`.
  std::int64_t number_of(std::int64_t trial, std::int64_t repeat, std::int64_t fold, std::int64_t member) const;

  const std::vector<Trial>& trials() const { return trials_; }
  const std::vector<std::string>& searched_keys() const { return searched_keys_; }
  std::int64_t repeats() const { return repeats_; }
  std::int64_t folds() const { return folds_; }
  std::int64_t members() const { return members_; }

 private:
  std::uint64_t seed_;
  std::int64_t repeats_ = 0;
  std::int64_t folds_;
  std::int64_t members_;
  std::vector<std::string> searched_keys_;
  std::vector<Trial> trials_;
};

}  // namespace sheaf
