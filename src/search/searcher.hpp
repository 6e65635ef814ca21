// The interface of searchers: a searcher selects the next stage from the results so far.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "search/gradual_trials.hpp"
#include "search/known_result.hpp"
#include "study/plan.hpp"
#include "study/stage.hpp"

namespace sheaf {

/// The stages of a search, and the results so far. Takes 40 bytes per iteration.
class KnownResults {
 public:
  /// `plan` must outlive this object, and must have a stage before its results are added.
  explicit KnownResults(const Plan& plan) : plan_(plan) {}

  void add(std::int64_t iteration, const KnownResult& result) {
    if (const auto needed = static_cast<std::size_t>(plan_.iteration_count()); results_.size() < needed)
      results_.resize(needed);
    results_[static_cast<std::size_t>(iteration)] = result;
  }

  /// The trials of the study and its stages.
  const Plan& plan() const { return plan_; }
  KnownResult of(const IterationKey& key) const {
    const auto number = static_cast<std::size_t>(plan_.number_of(key));
    return number < results_.size() ? results_[number] : KnownResult{};
  }

 private:
  const Plan& plan_;
  std::vector<KnownResult> results_;  // by the iteration's number
};

/// What is known of a stage before the search: see Stage. Work ahead relies on the new trials and the epochs.
struct StageSize {
  IndexRange new_trials;       ///< that begin in the stage, at epoch 0
  std::int64_t continued = 0;  ///< an estimate; a stage may continue fewer trials
  std::int64_t from_epoch = 0;
  std::optional<std::int64_t> to_epoch;
  IndexRange repeats;

  std::int64_t trials() const { return new_trials.count() + continued; }
};

/// Selects the stages of a search. Pure: the same results always lead to the same stage, so that a job can resume the
/// run.
class Searcher {
 public:
  virtual ~Searcher() = default;

  /// The maximum number of stages. Results are gathered after a stage only if more stages may follow.
  virtual std::int64_t max_stages() const = 0;

  /// The sizes of all stages, at most max_stages().
  virtual std::vector<StageSize> sizes(const Plan& plan) const = 0;

  /// Returns the next stage (stage 0 if there are no results yet), or nullopt if the search is done. Called on rank 0
  /// only.
  virtual std::optional<Stage> next(const KnownResults& known) const = 0;

  /// The trials of the last stage that the next one will certainly continue, whatever the results that are missing, as
  /// ascending ranges. Failed iterations count as missing, because another attempt may train them. None by default:
  /// lanes then wait at the end of a stage. Called on rank 0 only, while the stage is trained.
  virtual std::vector<IndexRange> certain(const KnownResults&) const { return {}; }

  /// The trials of a search whose only stage releases them one after another; null: a stage releases all of its trials
  /// at once. `plan`: with the stage, outlives the result.
  virtual std::unique_ptr<GradualTrials> gradual(Plan& /*plan*/) const { return nullptr; }
};

}  // namespace sheaf
