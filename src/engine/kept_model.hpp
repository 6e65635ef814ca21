// A model in mid-training as bytes: what every course keeps of it, and how it goes on.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/bytes.hpp"
#include "engine/engine.hpp"
#include "engine/training.hpp"
#include "plan/iteration_record.hpp"

namespace sheaf {

/// Saves the model that `trainer` trains, with its record and epochs so far and what `put` adds. `windows`: of a pass
/// over streamed data, 0 for rows in memory. Throws DeviceError when it cannot be written: no other one could be,
/// either.
void keep_model(const Checkpoints& checkpoints, const IterationRecord& record, const std::vector<EpochRecord>& epochs,
                const Trainer& trainer, std::int64_t windows, const std::function<void(ByteWriter&)>& put = {});

/// Goes on with the last model that was kept of the iteration, if there is one, and lets `get` read what was added.
/// One of another engine, or for data that came otherwise, is as if it were not there: its numbers would not be those
/// of a training from the start. Throws as Trainer::restore().
void find_kept_model(const Checkpoints& checkpoints, TrainedIteration& trained, Trainer& trainer, std::int64_t windows,
                     const std::function<void(ByteReader&)>& get = {});

}  // namespace sheaf
