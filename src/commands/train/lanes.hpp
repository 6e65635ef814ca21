// The worker threads of a rank: each claims iterations, trains them with its own engine, and journals the results.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "commands/train/stage_work.hpp"
#include "parallel/partition/work_source.hpp"

namespace sheaf {

/// Starts a thread for each lane of `stage.placement`; they wait for begin(). Then they train until `source` has no
/// more work or is stopped, and finish the iterations they are at. They make no MPI call. The stage and the source
/// outlive it. The destructor stops the lanes likewise. Local.
class Lanes {
 public:
  /// Throws RunError when a thread cannot be started.
  Lanes(const StageWork& stage, WorkSource& source, int rank);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// Lets the lanes train.
  void begin();

  /// Sleeps until all lanes have ended or one has failed, but no longer than `seconds`. True when all have ended.
  bool wait(double seconds);

  /// Why a lane failed: the first one's message.
  std::optional<std::string> failure() const;

  /// Iterations that could not be trained, so far.
  std::int64_t failed_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
