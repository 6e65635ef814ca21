// The interface of engines: an engine trains claims and returns the results. Each lane has its own engine object.
// Engines share only read-only data.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

using TrainedIterationSink = std::function<void(TrainedIteration&&)>;

/// Trains claims. train() returns whether to call it again with another claim. A claim is a list of ranges of
/// iterations; it may be empty. train() calls `stop_requested` between iterations and ends the claim early when it
/// returns true. An error of one iteration becomes a result of status `failed` after `run.retries` more attempts.
/// Errors of the device or the machine are thrown.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool train(const std::vector<IndexRange>& claim, const TrainedIterationSink& sink,
                     const std::function<bool()>& stop_requested) = 0;

  /// Trains iterations of later stages, whose trials are not all known yet, until `stop_requested` returns true. `plan`
  /// has these stages with all trials that they may have, so its numbers are not those that the iterations will get.
  /// Saves checkpoints instead of results. Errors of a training have no effect, because its stage repeats it. By
  /// default, does nothing.
  virtual void train_ahead(const Plan& /*plan*/, const std::vector<IndexRange>& /*iterations*/,
                           const std::function<bool()>& /*stop_requested*/) {}
};

}  // namespace sheaf
