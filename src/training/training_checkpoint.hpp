// A model in mid-training as bytes: what every course keeps of it, and how it goes on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/bytes.hpp"
#include "training/iteration_result.hpp"
#include "training/trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// Saves the model that `trainer` trains, with its result and epochs so far and what `put` adds. `windows`: of a pass
/// over streamed data, 0 for rows in memory. Throws DeviceError when it cannot be written: no other one could be,
/// either.
void save_checkpoint(const Checkpoints& checkpoints, const IterationResult& result,
                     const std::vector<EpochResult>& epochs, const Trainer& trainer, std::int64_t windows,
                     const std::function<void(ByteWriter&)>& put);

/// Continues from the newest checkpoint of the iteration, if there is one, and lets `get` read what save_checkpoint's
/// `put` added, with the checkpoint's result. A checkpoint that cannot be restored (another engine, another layout,
/// damaged) is set aside with the reason, `restart` begins the training again, and the one before it is tried. `get`
/// throws on what it cannot use. Throws DeviceError and std::bad_alloc.
void restore_checkpoint(const Checkpoints& checkpoints, TrainedIteration& trained, Trainer& trainer,
                        std::int64_t windows, const std::function<void()>& restart,
                        const std::function<void(ByteReader&, const IterationResult&)>& get);

}  // namespace sheaf
