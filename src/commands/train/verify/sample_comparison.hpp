// Compares the iterations that the lanes of a rank train again with their stored results.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "commands/train/training/model_saving.hpp"
#include "commands/train/verify/stored_sample.hpp"
#include "parallel/devices/lane_device.hpp"
#include "study/plan.hpp"
#include "training/engine.hpp"

namespace sheaf {

/// An iteration that was trained again and compared.
struct ComparedIteration {
  std::int64_t iteration = 0;
  std::optional<std::string> rounding_reason;         ///< nullopt: its bits were compared
  std::vector<std::string> differences;               ///< differences()
  bool has_predictions = false, has_weights = false;  ///< whether these were compared, too

  bool is_same() const { return differences.empty(); }
};

/// Not shared between ranks. Referenced objects outlive it.
class SampleComparison {
 public:
  /// `own`: the identity of the results of this rank. `models`: of the run.
  SampleComparison(const StoredSample& sample, const Plan& plan, const SavedModels& models, const JournalHeader& own)
      : sample_(sample), plan_(plan), models_(models), own_(own) {}

  /// Wraps the engine of a lane, whose iterations are compared before it passes them on. Training throws RunError if a
  /// stored value cannot be read. The comparison must outlive it.
  std::unique_ptr<Engine> comparing(std::unique_ptr<Engine> engine, LaneDevice device);

  /// The iterations of all ranks so far, ascending, on rank 0; empty on other ranks. Collective over world.
  std::vector<ComparedIteration> gather(const Communicator& world) const;

 private:
  class ComparingEngine;

  void compare(const TrainedIteration& now, LaneDevice device);

  const StoredSample& sample_;
  const Plan& plan_;
  const SavedModels& models_;
  const JournalHeader& own_;
  std::mutex mutex_;
  std::vector<ComparedIteration> compared_;
};

}  // namespace sheaf
