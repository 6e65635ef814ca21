// What trains a claim: iterations in, records out. One engine object a lane; engines share only read-only data.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/index_range.hpp"
#include "dataset/dataset.hpp"
#include "dataset/splits.hpp"
#include "dataset/stream.hpp"
#include "options/study.hpp"
#include "plan/iteration_record.hpp"
#include "plan/plan.hpp"

namespace sheaf {

/// Where models in mid-training are kept. Called by lanes, concurrently, for different iterations.
struct Checkpoints {
  double interval_seconds = 60;
  std::function<std::optional<std::string>(std::int64_t iteration)> load;
  /// Never loads again what was loaded last, and tells the user why; throws RunError.
  std::function<void(std::int64_t iteration, const std::string& reason)> set_aside;
  std::function<void(std::int64_t iteration, const std::string& state)> save;  ///< throws RunError
};

/// What all engines of a rank look at. Outlives them.
struct TrainingContext {
  const Study& study;
  const Plan& plan;
  const DataSet* data = nullptr;             ///< null when each iteration draws its own (data.draw = iteration)
  Splits* splits = nullptr;                  ///< of `data`; null with it
  Stream* stream = nullptr;                  ///< of the features, when `data` has none
  const Checkpoints* checkpoints = nullptr;  ///< null: none are made
};

using TrainedIterationSink = std::function<void(TrainedIteration&&)>;

/// Trains whole claims and returns whether to come with another one. A claim is a list of ascending ranges of
/// iterations; it may be empty. `stop_requested` is asked between iterations: true ends the claim early. What goes
/// wrong with one iteration alone is a record of status `failed`, after `run.retries` more attempts; what is wrong with
/// the device or the machine is thrown.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual bool train(const std::vector<IndexRange>& claim, const TrainedIterationSink& sink,
                     const std::function<bool()>& stop_requested) = 0;
};

/// What a lane trains on.
struct LaneDevice {
  int gpu = -1;          ///< CUDA device; -1: CPU
  int thread_count = 1;  ///< inside the lane, CPU only
};

/// The engine of a lane: trains each iteration by the engine_of() its trial (engine_choice.hpp), on data in memory or
/// streamed. To be used in the lane's own thread. Training throws RunError when the device cannot be used.
std::unique_ptr<Engine> make_engine(const TrainingContext& context, LaneDevice device);

/// What the resident engine runs on here, e.g. "AVX2, products by LIBXSMM 1.17 (hsw)". Local.
std::string resident_engine_info();

/// Whether its products are left to BLAS: LIBXSMM is missing or has no code for this processor. Local.
bool resident_engine_needs_blas();

}  // namespace sheaf
