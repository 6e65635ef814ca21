// What trains a claim: iterations in, results out. One engine object a lane; engines share only read-only data.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "core/index_range.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

using TrainedIterationSink = std::function<void(TrainedIteration&&)>;

/// Trains whole claims and returns whether to come with another one. A claim is a list of ascending ranges of
/// iterations; it may be empty. `stop_requested` is asked between iterations: true ends the claim early. What goes
/// wrong with one iteration alone is a result of status `failed`, after `run.retries` more attempts; what is wrong with
/// the device or the machine is thrown.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool train(const std::vector<IndexRange>& claim, const TrainedIterationSink& sink,
                     const std::function<bool()>& stop_requested) = 0;
};

}  // namespace sheaf
