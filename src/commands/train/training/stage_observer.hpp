// The interface of objects that hear the results of a stage while it is trained.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "parallel/partition/work_source.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Lanes call add(); all other functions are for the main thread, which calls service() again and again until
/// is_over().
class StageObserver {
 public:
  StageObserver() = default;
  virtual ~StageObserver() = default;
  StageObserver(const StageObserver&) = delete;
  StageObserver& operator=(const StageObserver&) = delete;

  /// Adds a result of this rank. Thread-safe.
  virtual void add(const IterationResult& result) = 0;
  /// Records that the lanes of this rank have ended the stage.
  virtual void end_lanes() = 0;
  /// Exchanges messages with other ranks. On rank 0 it may add work for lanes. Local, never blocks.
  virtual void service(WorkSource& source) = 0;
  /// Whether this rank has nothing more to send or receive.
  virtual bool is_over() = 0;
  /// Iterations that will not be trained, as far as this rank knows.
  virtual std::int64_t left_out() const { return 0; }
  /// The seconds after which service() must be called again.
  virtual double max_pause_seconds() const { return std::numeric_limits<double>::infinity(); }
  /// Whether service() may add work.
  virtual MoreWork more_work() const = 0;
};

}  // namespace sheaf
