// The combinations of a search's candidates, each computed from its number. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {

/// Selects searched keys by their names, such as "model.hidden".
using KeyFilter = std::function<bool(const std::string& key)>;

/// The grid of a study's candidates. Combination `number` is a mixed-radix number whose digits are the places of the
/// candidates, the last key fastest. Memory: the candidates, read once.
class Combinations {
 public:
  /// Every searched key of `study` has a candidate. Without searched keys there is one combination, the study itself.
  explicit Combinations(const Study& study);

  /// At most most_iterations + 1, however many there are.
  std::int64_t count() const { return count_; }
  std::size_t key_count() const { return keys_.size(); }
  const std::string& key(std::size_t key) const { return keys_[key].name; }
  const std::vector<std::string>& candidates(std::size_t key) const { return keys_[key].candidates; }

  /// The place of the candidate that combination `number` has of a key, in 0..candidates(key).size()-1.
  std::size_t place(std::int64_t number, std::size_t key) const;
  const std::string& value(std::int64_t number, std::size_t key) const {
    return keys_[key].candidates[place(number, key)];
  }

  /// Sets all searched keys of `study`.
  void apply(std::int64_t number, Study& study) const;

  /// The first combination that has the same candidates as combination `number` of the keys that `counts` selects: it
  /// has the first candidate of every other key.
  std::int64_t first_alike(std::int64_t number, const KeyFilter& counts) const;

  /// Visits, in ascending order, the first combination with each choice of candidates for the keys that `counts`
  /// selects.
  void for_each_distinct(const KeyFilter& counts, const std::function<void(std::int64_t number)>& visit) const;

 private:
  struct Key {
    std::string name;
    std::vector<std::string> candidates;
    std::vector<SetValue> setters;  // of each candidate
    std::int64_t stride = 1;        // the distance of combinations that differ in this key alone, by one candidate
  };

  std::vector<Key> keys_;
  std::int64_t count_ = 1;
};

}  // namespace sheaf
