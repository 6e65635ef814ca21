// The section [search] of a study, and the candidates of its searched keys.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "study/auto_or.hpp"
#include "study/search_methods.hpp"

namespace sheaf {

/// The values of a searched key: one of a list, or numbers from a range, drawn uniformly on a linear or a logarithmic
/// scale.
enum class Sampling { list, uniform, log_uniform, integer, log_integer };

constexpr bool draws_integers(Sampling sampling) {
  return sampling == Sampling::integer || sampling == Sampling::log_integer;
}
constexpr bool is_logarithmic(Sampling sampling) {
  return sampling == Sampling::log_uniform || sampling == Sampling::log_integer;
}

/// A searched key and its values, as text that apply_setting() accepts.
struct SearchedKey {
  std::string key;                      ///< e.g. "train.learning_rate"
  std::vector<std::string> candidates;  ///< of a range: its two ends, which stand for it in checks and estimates
  Sampling sampling = Sampling::list;

  bool operator==(const SearchedKey& other) const {
    return key == other.key && candidates == other.candidates && sampling == other.sampling;
  }
};

/// The first trials of a search whose lists and ranges have changed since (search_spaces.hpp).
struct EarlierSpace {
  std::int64_t trials = 0;        ///< those below this number that are not of a space before
  std::vector<SearchedKey> keys;  ///< those of the search, in its order, with their former lists and ranges

  bool operator==(const EarlierSpace& other) const { return trials == other.trials && keys == other.keys; }
};

/// How the folds of a trial are trained. forgiving, certain: one after another, until the trial has lost.
enum class Racing { none, forgiving, certain };

/// Whether an ensemble of the search's own trials is selected.
enum class EnsembleKind { none, greedy };

/// A trial that is tried first: pairs of a searched key and its value, as text. Other keys are drawn.
using StartTrial = std::vector<std::pair<std::string, std::string>>;

struct SearchOptions {
  AutoOr<SearchMethod> method;
  std::int64_t trials = 0;  ///< that are drawn; 0: as TrialSource says
  /// A trial that depends on results sees those of the trials that are at least this many before it. 0: batch_of().
  std::int64_t batch = 0;
  Racing racing = Racing::none;
  std::vector<StartTrial> start{};  ///< trials 0, 1, ...
  /// The directory of an older run, whose best trials become `start` before a plan is made
  /// (commands/train/prepare/start_trials); empty: none.
  std::string start_run{};
  std::int64_t time = 0;      ///< seconds of all jobs, after which the search ends; 0: no limit
  std::int64_t patience = 0;  ///< trials without a better one, after which the search ends; 0: no limit
  /// halving, hyperband: a stage has this many times the epochs, and 1/factor of the trials, of the one before.
  std::int64_t factor = 3;
  std::int64_t interval = 10;   ///< median: epochs per stage
  std::int64_t min_epochs = 1;  ///< halving, hyperband, median: of the first stage
  std::int64_t folds = 1;       ///< 1: no cross-validation
  std::int64_t repeats = 1;     ///< each repeat draws new folds
  /// Of a search of several trials that was extended by more repeats: `repeats` before each extension, ascending.
  std::vector<std::int64_t> earlier_repeats{};
  bool weighted = false;          ///< validation losses and metrics weight the rows
  AutoOr<EnsembleKind> ensemble;  ///< auto: see settle_study
  std::string metric = "loss";    ///< ranks the trials: "loss", or MetricChoice::name()

  /// The row of the method in the table; `auto` counts as none.
  const SearchMethodRow& method_row() const { return search_method_of(method.value_or(SearchMethod::none)); }
  /// Whether there is a search.
  bool searches() const { return method_row().trials != TrialSource::none; }
  /// Whether trials are drawn from lists and ranges.
  bool draws_trials() const {
    const TrialSource source = method_row().trials;
    return trials > 0 || source == TrialSource::drawn || source == TrialSource::scheduled;
  }
  /// Whether the number of trials is known before the search.
  bool has_trial_count() const { return trials > 0 || method_row().trials != TrialSource::drawn; }
  /// Whether the method trains its trials to the end in one stage. An extension by more repeats adds stages.
  bool has_one_stage() const { return searches() && !method_row().divides_epochs; }
  /// Whether trials, or the end of the search, depend on the results of earlier trials of the same stage.
  bool depends_on_results() const {
    const bool races = racing != Racing::none && folds * repeats > 1;
    return method_row().learns || (has_one_stage() && (races || patience > 0));
  }
  /// Whether trials begin one after another, and it is decided during the search how many do (search/gradual_trials).
  bool is_gradual() const { return depends_on_results() || (has_one_stage() && time > 0); }

  /// Whether the search can be extended by more repeats of its trials.
  bool may_add_repeats() const { return has_one_stage() && !is_gradual(); }
  /// The repeats with which the search began.
  std::int64_t first_repeats() const { return earlier_repeats.empty() ? repeats : earlier_repeats.front(); }

  std::vector<SearchedKey> keys;        ///< in the order of the study file, then of the command line
  std::vector<EarlierSpace> earlier{};  ///< of a search that was extended with other lists or ranges, by their trials
};

/// Whether a key is searched in a range.
inline bool has_ranges(const SearchOptions& search) {
  return std::any_of(search.keys.begin(), search.keys.end(),
                     [](const SearchedKey& key) { return key.sampling != Sampling::list; });
}

}  // namespace sheaf
