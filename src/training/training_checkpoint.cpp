// SPDX-License-Identifier: MIT
#include "training/training_checkpoint.hpp"

#include <exception>
#include <new>

#include "core/error.hpp"

namespace sheaf {
namespace {

double restore(const std::string& bytes, std::int64_t windows, TrainingLoop& loop, Trainer& trainer,
               const std::function<void(ByteReader&)>& get) {
  ByteReader state(bytes);
  require(state.get<EngineName>() == trainer.engine(), "it was written by another engine");
  require(state.get<std::int64_t>() == windows, "it was written for data divided into a different number of windows");
  const auto seconds = state.get<double>();
  loop.restore(state);
  trainer.restore(state);
  get(state);
  require(state.is_at_end(), "it is larger than the state of this model");
  return seconds;
}

}  // namespace

void save_checkpoint(const Checkpoints& checkpoints, std::int64_t iteration, std::int64_t windows, double seconds,
                     const TrainingLoop& loop, const Trainer& trainer, const std::function<void(ByteWriter&)>& put) {
  ByteWriter state;
  state.put(trainer.engine());
  state.put(windows);
  state.put(seconds);
  loop.save(state);
  trainer.save(state);
  put(state);
  try {
    checkpoints.save(iteration, state.bytes());
  } catch (const RunError& error) {
    throw DeviceError(error.what());
  }
}

double restore_checkpoint(const Checkpoints& checkpoints, std::int64_t iteration, std::int64_t windows,
                          TrainingLoop& loop, Trainer& trainer, const std::function<void()>& restart,
                          const std::function<void(ByteReader&)>& get) {
  while (const auto checkpoint = checkpoints.load(iteration)) {
    try {
      return restore(*checkpoint, windows, loop, trainer, get);
    } catch (const DeviceError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      checkpoints.set_aside(iteration, error.what());
    }
    restart();
  }
  return 0;
}

}  // namespace sheaf
