// SPDX-License-Identifier: MIT
#include "engine/kept_model.hpp"

#include <utility>

#include "core/error.hpp"

namespace sheaf {

void keep_model(const Checkpoints& checkpoints, const IterationRecord& record, const std::vector<EpochRecord>& epochs,
                const Trainer& trainer, std::int64_t windows, const std::function<void(ByteWriter&)>& put) {
  ByteWriter state;
  state.put(trainer.engine());
  state.put(windows);
  state.put(record);
  state.put_list(epochs);
  trainer.save(state);
  if (put) put(state);
  try {
    checkpoints.save(record.iteration, state.bytes());
  } catch (const RunError& error) {
    throw DeviceError(error.what());
  }
}

void find_kept_model(const Checkpoints& checkpoints, TrainedIteration& trained, Trainer& trainer, std::int64_t windows,
                     const std::function<void(ByteReader&)>& get) {
  const auto kept = checkpoints.load(trained.record.iteration);
  if (!kept) return;
  ByteReader state(*kept);
  const auto engine = state.get<TrainedBy>();
  if (engine != trainer.engine() || state.get<std::int64_t>() != windows) return;
  const auto record = state.get<IterationRecord>();
  auto epochs = state.get_list<std::vector<EpochRecord>>();
  trainer.restore(state);
  if (get) get(state);
  trained.record = record;
  trained.epochs = std::move(epochs);
}

}  // namespace sheaf
