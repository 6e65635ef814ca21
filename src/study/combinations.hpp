// The grid of a search's candidates. Each combination is computed from its number, without a list. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/model_options.hpp"
#include "study/settings.hpp"

namespace sheaf {

struct Study;

/// Selects searched keys by their names, such as "model.hidden".
using KeyFilter = std::function<bool(const std::string& key)>;

/// The iterations of a study: trials times repeats, folds and members. A double, because the product may exceed 64
/// bits. Pure.
double planned_iterations(const Study& study);

/// The kinds of the models of all trials. Pure.
std::vector<ModelKind> model_kinds(const Study& study);

/// Whether a trial has a model of a plugin. Such models cannot be saved, since their code is in the plugin. Pure.
bool has_plugin_models(const Study& study);

/// The grid of a study's candidates. A combination's number is a mixed-radix number: its digits are candidate indices,
/// and the last key varies fastest. Stores each candidate once.
class Combinations {
 public:
  /// Every searched key must have at least one candidate. Without searched keys, the study is the only combination.
  explicit Combinations(const Study& study);

  /// The number of combinations; larger grids return max_iterations + 1.
  std::int64_t count() const { return count_; }
  const std::string& key(std::size_t key) const { return keys_[key].name; }
  const std::vector<std::string>& candidates(std::size_t key) const { return keys_[key].candidates; }

  /// The index of a key's candidate in combination `number`, in 0..candidates(key).size()-1.
  std::size_t candidate_index(std::int64_t number, std::size_t key) const;
  const std::string& value(std::int64_t number, std::size_t key) const {
    return keys_[key].candidates[candidate_index(number, key)];
  }

  /// Sets all searched keys of `study` to the values of combination `number`.
  void apply(std::int64_t number, Study& study) const;

  /// Visits the first combination of each distinct choice of candidates for the keys that `selects` accepts, in
  /// ascending order.
  void for_each_distinct(const KeyFilter& selects, const std::function<void(std::int64_t number)>& visit) const;

 private:
  struct Key {
    std::string name;
    std::vector<std::string> candidates;
    std::vector<SetValue> setters;  // one per candidate
    std::int64_t stride = 1;        // difference of the numbers of combinations with neighboring candidates of this key
  };

  std::vector<Key> keys_;
  std::int64_t count_ = 1;
};

}  // namespace sheaf
