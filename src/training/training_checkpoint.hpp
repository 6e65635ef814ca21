// A model in mid-training as bytes: the state of its loop, its trainer and its driver.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "core/bytes.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"
#include "training/training_loop.hpp"

namespace sheaf {

/// Saves the training of an iteration, which has taken `seconds` so far, and what `put` adds. `windows`: of a pass over
/// streamed data, 0 for rows in memory. Throws DeviceError when it cannot be written: no other one could be, either.
void save_checkpoint(const Checkpoints& checkpoints, std::int64_t iteration, std::int64_t windows, double seconds,
                     const TrainingLoop& loop, const Trainer& trainer, const std::function<void(ByteWriter&)>& put);

/// Continues from the newest checkpoint of the iteration, if there is one, and lets `get` read what save_checkpoint's
/// `put` added, after the loop is restored. Returns the seconds that the training has taken before; 0 without a
/// checkpoint. A checkpoint that cannot be restored (another engine, another layout, damaged) is set aside with the
/// reason, `restart` begins the training again, and the one before it is tried. `get` throws on what it cannot use.
/// Throws DeviceError and std::bad_alloc.
double restore_checkpoint(const Checkpoints& checkpoints, std::int64_t iteration, std::int64_t windows,
                          TrainingLoop& loop, Trainer& trainer, const std::function<void()>& restart,
                          const std::function<void(ByteReader&)>& get);

}  // namespace sheaf
