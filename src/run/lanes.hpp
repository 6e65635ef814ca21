// The worker threads of a rank: each claims iterations, trains them with its own engine, and keeps the records.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/placement.hpp"
#include "engine/engine.hpp"
#include "partition/work_source.hpp"

namespace sheaf {

/// Makes the engine of one lane, in the lane's own thread.
using EngineFactory = std::function<std::unique_ptr<Engine>()>;

/// Starts `placement.lanes` threads that train until `source` has no more work. They make no MPI call. `source`
/// outlives it. The destructor stops the lanes after the iterations they are at. Local.
class Lanes {
 public:
  Lanes(const EngineFactory& make_engine, const Placement& placement, WorkSource& source, int rank);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// Sleeps until all lanes have ended or one has failed, but no longer than `seconds`. True when all have ended.
  bool wait(double seconds);

  /// Why a lane failed: the first one's message.
  std::optional<std::string> failure() const;

  /// What was trained here, in no particular order. To be called once, after wait() was true.
  std::vector<TrainedIteration> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
