// The worker threads of a rank: each claims iterations, trains them with its own engine and journals the results.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "commands/train/training/stage_work.hpp"
#include "parallel/partition/work_source.hpp"

namespace sheaf {

/// Starts a thread for each lane of `setup.placement`. In each stage the lanes train until `source` has no more work.
/// If the source is stopped, they finish or checkpoint their current iterations. They keep their engines between the
/// stages. Lanes make no MPI call. The setup and the source outlive the object. The destructor stops the lanes and
/// waits for them. Local.
class Lanes {
 public:
  /// Throws RunError if a thread cannot be started.
  Lanes(const LaneSetup& setup, WorkSource& source, int rank);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  /// The setup of the lanes.
  const LaneSetup& setup() const;

  /// Lets the lanes train a stage, whose work the source hands out. `stage` must exist until wait() returns true.
  void begin(const StageWork& stage);

  /// Waits until all lanes have ended the stage or one has failed, at most `seconds`. Returns whether all have ended.
  bool wait(double seconds);

  struct Failure {
    std::string message;
    bool is_of_gpu;  ///< another job may train the rest
  };
  /// Why the first lane that failed did so.
  std::optional<Failure> failure() const;

  /// The sum over the lanes of the seconds for which they did not wait for work, in the stages that have ended.
  double busy_seconds() const;

  /// How many iterations could not be trained so far.
  std::int64_t failed_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sheaf
