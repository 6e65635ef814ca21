// Saves and restores checkpoints: the state of a TrainingLoop, its trainer and its driver as bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/bytes.hpp"
#include "core/index_range.hpp"
#include "study/trial.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"
#include "training/training_loop.hpp"

namespace sheaf {

/// The training that a checkpoint belongs to; no other training resumes from it.
struct CheckpointedTraining {
  Iteration iteration;
  std::int64_t epochs = 0;   ///< of the whole training
  IndexRange stage_epochs;   ///< those of the iteration's stage
  std::int64_t windows = 0;  ///< per pass over streamed data; 0 for data in memory
};

/// Saves a checkpoint of a training that has taken `seconds` so far. `put` adds the driver's state. Throws DeviceError
/// if the checkpoint cannot be written, because later ones would fail as well.
void save_checkpoint(const Checkpoints& checkpoints, const CheckpointedTraining& training, double seconds,
                     const TrainingLoop& loop, const Trainer& trainer, const std::function<void(ByteWriter&)>& put);

/// Restores the newest checkpoint of the training, if there is one. After the loop is restored, `get` reads the state
/// that `put` added in save_checkpoint(); it throws if it cannot use that state. Returns the training seconds before
/// the checkpoint; 0 without a checkpoint, or if it is from an earlier stage. If a checkpoint cannot be restored
/// (another training, engine or layout, damaged), it is set aside with the reason, `restart` begins the training again,
/// and the previous checkpoint is tried. Throws DeviceError and std::bad_alloc.
double restore_checkpoint(const Checkpoints& checkpoints, const CheckpointedTraining& training, TrainingLoop& loop,
                          Trainer& trainer, const std::function<void()>& restart,
                          const std::function<void(ByteReader&)>& get);

}  // namespace sheaf
