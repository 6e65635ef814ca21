// The grid of a search's candidates. Each combination is computed from its number, without a list. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "study/data_options.hpp"
#include "study/model_options.hpp"
#include "study/search_options.hpp"
#include "study/setting.hpp"
#include "study/trial.hpp"

namespace sheaf {

struct Study;

/// Selects searched keys by their names, such as "model.hidden".
using KeyFilter = std::function<bool(const std::string& key)>;

/// The number of trials of a study; larger grids return max_iterations + 1. A random search without search.trials has
/// as many as there may be iterations. 0 if the number follows from train.epochs, which is not settled. Pure.
std::int64_t trial_count(const Study& study);

/// The iterations of a study: trials times repeats, folds and members. A double, because the product may exceed 64
/// bits. Pure.
double planned_iterations(const Study& study);

/// The iterations for which defaults are chosen: if search.time or search.patience may end the search early, at most
/// `most`. Pure.
double expected_iterations(const Study& study, std::int64_t most);

/// The kinds of the models of all trials. Pure.
std::vector<ModelKind> model_kinds(const Study& study);

/// The kinds of scalings that trials have (data.normalize, model.embedding). Pure.
std::set<ScalingKind> scaling_kinds(const Study& study);

/// The combinations of a study's candidates. A combination's number is a mixed-radix number: its digits are candidate
/// indices, and the last key varies fastest.
///
/// Unless trials are drawn, a combination is skipped if a searched key has no effect in it and has another value than
/// its first candidate: it would train the same model again. If combinations are skipped, the keys that decide the
/// effect of other keys vary slowest. For each choice of their candidates, the combinations of the other keys form a
/// block of consecutive numbers, in which keys without effect do not vary. Time and memory are proportional to the
/// number of blocks, not of combinations.
///
/// An extended grid (search.earlier) has only the combinations that no earlier space has: a combination is known if an
/// earlier space has the values of all keys that have an effect in it.
class Combinations {
 public:
  /// Those of the last space. Every searched key must have at least one candidate. Without searched keys, the study is
  /// the only combination. Throws UsageError if there are more than 100,000 choices of candidates for the keys that
  /// decide the effect of other keys.
  explicit Combinations(const Study& study);

  /// The number of combinations, without those that are skipped; larger grids return max_iterations + 1.
  std::int64_t count() const { return count_; }
  const std::string& key(std::size_t key) const { return keys_[key].name; }
  const std::vector<std::string>& candidates(std::size_t key) const { return keys_[key].candidates; }

  /// The number of the combination with these values; nothing if there is none. Not for a grid that skips or leaves out
  /// combinations.
  std::optional<std::int64_t> number_of(const std::vector<std::string>& values) const;

  /// The index of a key's candidate in combination `number`, in 0..candidates(key).size()-1.
  std::size_t candidate_index(std::int64_t number, std::size_t key) const;
  const std::string& value(std::int64_t number, std::size_t key) const {
    return keys_[key].candidates[candidate_index(number, key)];
  }

  /// Sets all searched keys of `study` to the values of combination `number`.
  void apply(std::int64_t number, Study& study) const;

  /// A candidate index for each key, and the number of combinations that have these candidates of the selected keys.
  using VisitChoice = std::function<void(const std::vector<std::size_t>& choice, double combinations)>;
  /// Visits each distinct choice of candidates for the keys that `selects` accepts, in ascending order; all other keys
  /// have candidates of one such combination. A choice may be visited more than once if keys that are not selected
  /// decide the effect of selected keys; the numbers of combinations then add up.
  void for_each_distinct(const KeyFilter& selects, const VisitChoice& visit) const;
  /// Sets all searched keys of `study` to the values of a choice.
  void apply(const std::vector<std::size_t>& choice, Study& study) const;

  /// How many combinations are skipped, and why: "1 of 4 combinations: train.momentum has no effect with
  /// train.optimizer = adam". Empty: none.
  std::string skipped_text() const;

 private:
  struct Key {
    std::string name;
    std::vector<std::string> candidates;
    std::vector<SetValue> setters;     // one per candidate
    const Setting* setting = nullptr;  // its row
  };
  struct Block {
    std::int64_t begin = 0;             // its first combination
    std::vector<std::size_t> choice;    // candidates of the keys that do not vary; 0 for those that do
    std::vector<std::int64_t> strides;  // by key: the difference of the numbers of combinations with neighboring
                                        // candidates; 0: the key does not vary
    std::vector<bool> has_effect;       // by key; of keys that do not vary
    // By key: the candidates of a key that varies, ascending; empty: all.
    std::vector<std::vector<std::size_t>> varying{};
  };
  // Why combinations are skipped: a condition of a key that does not hold.
  struct Cause {
    std::size_t key;
    const Condition* condition;
    std::vector<std::string> values;  // of the first key of the condition
  };

  std::vector<std::size_t> deciding_keys() const;
  void add_blocks(const Study& study);
  void add_block(std::vector<std::size_t> choice, const std::vector<bool>& varies, std::vector<bool> has_effect);
  void leave_out(const std::vector<SearchedKey>& known);
  std::vector<Block> without(const Block& block, const std::vector<std::vector<bool>>& is_known) const;
  void number_blocks();
  std::size_t varying_count(const Block& block, std::size_t key) const;
  std::size_t varying_candidate(const Block& block, std::size_t key, std::size_t index) const;
  void add_cause(std::size_t key, const Condition& condition, const Study& study);
  // Sets the next candidates of the keys `varying`, the last of which varies fastest. False after the last choice.
  bool next_choice(std::vector<std::size_t>& choice, const std::vector<std::size_t>& varying) const;
  // The same among the candidates of a block, in which all keys of `keys` vary.
  bool next_choice(const Block& block, std::vector<std::size_t>& choice, const std::vector<std::size_t>& keys) const;
  double size_of(const Block& block, const std::vector<bool>& counts) const;

  std::vector<Key> keys_;
  std::vector<Block> blocks_;
  std::vector<Cause> causes_;
  double kept_ = 0;  // combinations that are not skipped
  std::int64_t count_ = 0;
};

}  // namespace sheaf
