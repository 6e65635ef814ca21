// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "data/dataset.hpp"
#include "data/splits.hpp"
#include "data/stream/stream.hpp"
#include "study/plan.hpp"
#include "study/settled_study.hpp"

namespace sheaf {

/// Loads and saves checkpoints by training_of() their iterations. Lanes call these functions concurrently, for
/// different trainings.
struct Checkpoints {
  double interval_seconds = 60;  ///< infinite: only when a training pauses or stops
  std::function<std::optional<std::string>(const IterationKey& training)> load;
  /// Renames the checkpoint that was loaded last, so that it is not loaded again, and logs the reason. Throws RunError.
  std::function<void(const IterationKey& training, const std::string& reason)> set_aside;
  /// Tells that another rank may have saved a checkpoint of the training after `steps` steps. Optional.
  std::function<void(const IterationKey& training, std::int64_t steps)> expect = {};
  /// `steps`: completed optimizer steps. `paused`: the training pauses here until a later stage. Throws RunError.
  std::function<void(const IterationKey& training, std::int64_t steps, const std::string& state, bool paused)> save;
};

class LossLog;

/// The input of all engines of a rank. It must outlive them.
struct TrainingContext {
  const SettledStudy& study;
  const Plan& plan;
  const DataSet* data = nullptr;             ///< null if each iteration has its own (data.draw = iteration)
  Splits* splits = nullptr;                  ///< the splits of `data`; null if `data` is null
  Stream* stream = nullptr;                  ///< the source of features if `data` has none
  const Checkpoints* checkpoints = nullptr;  ///< null: no checkpoints
  LossLog* loss_log = nullptr;               ///< null: no lines with the loss of the running epoch
  /// Whether the training of an iteration is cut after so many epochs, if it may be (TrainingLoop::may_be_cut()). Lanes
  /// call it again and again, concurrently. Null: none is.
  std::function<bool(std::int64_t iteration, std::int64_t epochs)> is_cut = {};
};

}  // namespace sheaf
