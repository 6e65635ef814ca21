// The trials of a study. The values of a trial are a pure function of its number, so that no list of trials is needed.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "study/combinations.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Maps the numbers of trials to values of the searched keys. A grid has one trial per combination of candidates,
/// without those that differ only in keys without effect. In a random search, a drawn value depends only on the study's
/// seed, the number of the trial and the name of the key: more trials or other searched keys do not change it. If every
/// key has a list, distinct combinations are drawn in random order. A key without effect in a trial has its first
/// candidate there, or the lower end of its range.
class TrialSpace {
 public:
  explicit TrialSpace(const Study& study);

  /// The number of trials; larger grids return max_iterations + 1.
  std::int64_t count() const { return trials_; }

  /// The value of a searched key in a trial, as text in canonical form. Drawn numbers have at most six significant
  /// digits, so that a trial can be repeated from its printed values.
  std::string value(std::int64_t trial, std::size_t key) const;

  /// Sets all searched keys of `study` to the values of a trial. Returns these values.
  std::vector<std::string> apply(std::int64_t trial, Study& study) const;

  /// The lists of candidates; those of a range are its ends.
  const Combinations& combinations() const { return combinations_; }

 private:
  enum class Order { grid, shuffled, drawn };

  std::string drawn(std::int64_t trial, std::size_t key) const;
  bool has_effect(std::int64_t trial, std::size_t key) const;

  std::uint64_t seed_;
  Study base_;  // the study without its candidates
  Combinations combinations_;
  std::vector<std::vector<std::size_t>> deciding_;  // by key: the searched keys that decide its effect
  std::vector<Sampling> samplings_;                 // by key
  Order order_;
  std::int64_t trials_;
};

}  // namespace sheaf
