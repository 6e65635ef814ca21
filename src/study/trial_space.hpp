// The trials of a study. The values of a trial are a pure function of its number, so that no list of trials is needed.
// Only the trials that a search draws from results are stored.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "study/combinations.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Maps the numbers of trials to values of the searched keys. A grid has one trial per combination of candidates,
/// without those that differ only in keys without effect. In a random search, a drawn value depends only on the study's
/// seed, the number of the trial and the name of the key: more trials or other searched keys do not change it. If every
/// key has a list, distinct combinations are drawn in random order. The first trials have the values of search.start. A
/// key without effect in a trial has its first candidate there, or the lower end of its range.
///
/// A search that was extended has several spaces (study/search_spaces.hpp). Trials of earlier ones keep their values;
/// those of the last one are combinations that earlier trials do not have, if every key has a list.
class TrialSpace {
 public:
  explicit TrialSpace(const Study& study);

  /// The number of trials; larger grids return max_iterations + 1.
  std::int64_t count() const { return trials_; }

  /// The value of a searched key in a trial, as text in canonical form. Drawn numbers have at most six significant
  /// digits, so that a trial can be repeated from its printed values.
  std::string value(std::int64_t trial, std::size_t key) const;

  /// The largest number of trials that the search may have: with lists, all combinations once.
  std::int64_t most() const;

  /// The spaces, and that of a trial.
  std::size_t space_count() const { return spaces_.size(); }
  std::size_t space_of(std::int64_t trial) const;
  /// The trials of a space.
  IndexRange trials_of(std::size_t space) const;
  /// Whether the lists and ranges of a space have the values of a trial. Those of keys without effect do not matter.
  bool has(std::size_t space, std::int64_t trial) const;

  /// Whether each searched key has an effect in a trial with these values. Those of keys without effect do not matter.
  std::vector<bool> effects(const std::vector<std::string>& values) const;

  /// Whether a trial has values of search.start.
  bool is_start(std::int64_t trial) const { return trial < static_cast<std::int64_t>(start_.size()); }

  /// Whether a trial may have these values.
  bool may_have(std::int64_t trial, const std::vector<std::string>& values) const;

  /// Gives a trial other values than those of its number, once. Thread-safe, also while other functions are called.
  void give(std::int64_t trial, std::vector<std::string> values);
  /// The values that were given to a trial; empty: none. Thread-safe.
  std::vector<std::string> given(std::int64_t trial) const;
  /// Whether trials get such values.
  bool draws_from_results() const { return given_ != nullptr; }

  /// Sets all searched keys of `study` to the values of a trial. Returns these values.
  std::vector<std::string> apply(std::int64_t trial, Study& study) const;

  /// The lists of candidates of a space; those of a range are its ends.
  const Combinations& combinations(std::size_t space) const { return spaces_[space].combinations; }

 private:
  enum class Order { grid, shuffled, drawn };
  struct Given;
  struct Space {
    std::int64_t first_trial;
    std::vector<SearchedKey> keys;
    Combinations combinations;
    Order order;
    std::vector<std::int64_t> taken{};  // shuffled: the places in the order of combinations that earlier trials have
  };

  std::vector<std::int64_t> taken_places(const Space& space) const;
  std::string drawn(std::int64_t trial, std::size_t key) const;
  using ValueOfKey = std::function<std::string(std::size_t key)>;
  bool has_effect(std::size_t key, const ValueOfKey& value_of) const;

  std::uint64_t seed_;
  Study base_;                                                  // the study without its candidates
  std::vector<Space> spaces_;                                   // by their trials
  std::vector<std::vector<std::size_t>> deciding_;              // by key: the searched keys that decide its effect
  std::vector<std::vector<std::optional<std::string>>> start_;  // by trial and key; nothing: it is drawn
  std::int64_t trials_;
  std::shared_ptr<Given> given_;  // copies share it; null if no trial is drawn from results
};

}  // namespace sheaf
