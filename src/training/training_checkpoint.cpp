// SPDX-License-Identifier: MIT
#include "training/training_checkpoint.hpp"

#include <exception>
#include <new>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

// Sets `trained` last, when everything else was as it must be.
void restore(const std::string& bytes, TrainedIteration& trained, Trainer& trainer, std::int64_t windows,
             const std::function<void(ByteReader&, const IterationResult&)>& get) {
  ByteReader state(bytes);
  require(state.get<EngineName>() == trainer.engine(), "another engine wrote it");
  require(state.get<std::int64_t>() == windows, "it was written for another reading of the data");
  const auto result = state.get<IterationResult>();
  require(result.iteration == trained.result.iteration, "it is of another iteration");
  auto epochs = state.get_list<std::vector<EpochResult>>();
  trainer.restore(state);
  get(state, result);
  require(state.is_at_end(), "it holds more than this model's state");
  trained.result = result;
  trained.epochs = std::move(epochs);
}

}  // namespace

void save_checkpoint(const Checkpoints& checkpoints, const IterationResult& result,
                     const std::vector<EpochResult>& epochs, const Trainer& trainer, std::int64_t windows,
                     const std::function<void(ByteWriter&)>& put) {
  ByteWriter state;
  state.put(trainer.engine());
  state.put(windows);
  state.put(result);
  state.put_list(epochs);
  trainer.save(state);
  put(state);
  try {
    checkpoints.save(result.iteration, state.bytes());
  } catch (const RunError& error) {
    throw DeviceError(error.what());
  }
}

void restore_checkpoint(const Checkpoints& checkpoints, TrainedIteration& trained, Trainer& trainer,
                        std::int64_t windows, const std::function<void()>& restart,
                        const std::function<void(ByteReader&, const IterationResult&)>& get) {
  const std::int64_t iteration = trained.result.iteration;
  while (const auto kept = checkpoints.load(iteration)) {
    try {
      restore(*kept, trained, trainer, windows, get);
      return;
    } catch (const DeviceError&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      checkpoints.set_aside(iteration, error.what());
    }
    restart();
  }
}

}  // namespace sheaf
