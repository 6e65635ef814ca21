// The interface of engines: an engine trains claims and returns the results. Each lane has its own engine object.
// Engines share only read-only data.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "study/plan.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

using TrainedIterationSink = std::function<void(TrainedIteration&&)>;

/// What an engine calls while it trains a claim.
struct EngineCalls {
  TrainedIterationSink sink;             ///< gets the results
  std::function<bool()> stop_requested;  ///< called between iterations; true: the claim ends early
  /// Returns another claim, or an empty one if none is ready: for an engine that trains several models together, when
  /// it has room for `room` more. Does not wait for work. Null: there are no others.
  std::function<std::vector<IndexRange>(std::int64_t room)> more = {};
};

/// Trains claims. train() returns whether to call it again with another claim. A claim is a list of ranges of
/// iterations; it may be empty. An error of one iteration becomes a result of status `failed` after `run.retries` more
/// attempts. Errors of the device (GpuError for a GPU) or the machine are thrown.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) = 0;

  /// How many iterations the engine trains together.
  virtual std::int64_t width() const { return 1; }

  /// Whether the GPU of its lane has failed, so that it trains on a core instead.
  virtual bool has_lost_gpu() const { return false; }

  /// Trains iterations of later stages, whose trials are not all known yet, until `stop_requested` returns true. `plan`
  /// has these stages with all trials that they may have, so its numbers are not those that the iterations will get.
  /// Saves checkpoints instead of results. Errors of a training have no effect, because its stage repeats it. By
  /// default, does nothing.
  virtual void train_ahead(const Plan& /*plan*/, const std::vector<IndexRange>& /*iterations*/,
                           const std::function<bool()>& /*stop_requested*/) {}
};

}  // namespace sheaf
