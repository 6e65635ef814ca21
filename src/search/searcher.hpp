// How a search goes on: a searcher is given what is known and names the next stage of work.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "study/plan.hpp"
#include "study/stage.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// What a searcher may look at of a result. NaN where there is none.
struct KnownResult {
  IterationStatus status = IterationStatus::missing;  ///< of a finished stage: finished or diverged
  double final_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_loss = std::numeric_limits<double>::quiet_NaN();
  double validation_score = std::numeric_limits<double>::quiet_NaN();  ///< of the member alone
};

/// The stages of a search so far, all of them finished, and their results. 32 bytes for each iteration.
class KnownResults {
 public:
  /// `plan` outlives it, and has each stage before its results are added.
  explicit KnownResults(const Plan& plan) : plan_(plan) {}

  void add(const IterationResult& result) {
    if (const auto needed = static_cast<std::size_t>(plan_.iteration_count()); results_.size() < needed)
      results_.resize(needed);
    results_[static_cast<std::size_t>(result.iteration)] = {result.status, result.final_loss, result.validation_loss,
                                                            result.validation_score};
  }

  /// The trials of the study, and the stages.
  const Plan& plan() const { return plan_; }
  const KnownResult& of(const IterationKey& key) const {
    return results_[static_cast<std::size_t>(plan_.number_of(key))];
  }

 private:
  const Plan& plan_;
  std::vector<KnownResult> results_;  // by the iteration's number
};

/// Names the stages of a search. Pure: the same results always lead to the same stage, also in a job that resumes the
/// run.
class Searcher {
 public:
  virtual ~Searcher() = default;

  /// Stages that a search has at most; results are gathered between stages only where more may come.
  virtual std::int64_t most_stages() const = 0;

  /// The next stage; none: the search is done. It is stage 0 while nothing is known. Called on rank 0.
  virtual std::optional<Stage> next(const KnownResults& known) const = 0;
};

}  // namespace sheaf
