// SPDX-License-Identifier: MIT
#include "training/training_checkpoint.hpp"

#include <exception>
#include <new>

#include "core/error.hpp"

namespace sheaf {
namespace {

double restore(const std::string& bytes, const CheckpointedTraining& training, TrainingLoop& loop, Trainer& trainer,
               const std::function<void(ByteReader&)>& get) {
  ByteReader state(bytes);
  require(state.get<EngineName>() == trainer.engine(), "it was written by another engine");
  require(state.get<IterationKey>() == training_of(training.iteration),
          "it was written for another trial, repeat, fold or member");
  require(state.get<std::int64_t>() == training.epochs, "it was written for another number of epochs");
  require(state.get<std::int64_t>() == training.windows,
          "it was written for data divided into a different number of windows");
  const auto stage_end = state.get<std::int64_t>();
  require(stage_end <= training.stage_epochs.end, "it is from a later stage, before which this one lost its result");
  const bool same_stage = stage_end == training.stage_epochs.end;
  const auto seconds = state.get<double>();
  loop.restore(state);
  if (!same_stage) loop.begin_stage();
  trainer.restore(state);
  get(state);
  require(state.is_at_end(), "it is larger than the state of this model");
  return same_stage ? seconds : 0;
}

}  // namespace

void save_checkpoint(const Checkpoints& checkpoints, const CheckpointedTraining& training, double seconds,
                     const TrainingLoop& loop, const Trainer& trainer, const std::function<void(ByteWriter&)>& put) {
  ByteWriter state;
  state.put(trainer.engine());
  state.put(training_of(training.iteration));
  state.put(training.epochs);
  state.put(training.windows);
  state.put(training.stage_epochs.end);
  state.put(seconds);
  loop.save(state);
  trainer.save(state);
  put(state);
  try {
    checkpoints.save(training_of(training.iteration), loop.steps(), state.bytes(), loop.is_paused());
  } catch (const RunError& error) {
    throw DeviceError(error.what());
  }
}

double restore_checkpoint(const Checkpoints& checkpoints, const CheckpointedTraining& training, TrainingLoop& loop,
                          Trainer& trainer, const std::function<void()>& restart,
                          const std::function<void(ByteReader&)>& get) {
  while (const auto checkpoint = checkpoints.load(training_of(training.iteration))) {
    try {
      return restore(*checkpoint, training, loop, trainer, get);
    } catch (const DeviceError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      checkpoints.set_aside(training_of(training.iteration), error.what());
    }
    restart();
  }
  return 0;
}

}  // namespace sheaf
