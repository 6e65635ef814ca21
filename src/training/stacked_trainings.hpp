// Trains iterations on data in memory together, in the slots of a stack.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "study/plan.hpp"
#include "training/engine.hpp"
#include "training/iteration_failure.hpp"
#include "training/memory_training.hpp"
#include "training/piece_size.hpp"
#include "training/slot_trainer.hpp"
#include "training/stack_trainer.hpp"
#include "training/training_context.hpp"

namespace sheaf {

/// The trainings that ended in calls of StackedTrainings::train().
struct EndedTrainings {
  std::vector<TrainedIteration> trained;
  std::vector<std::int64_t> failed;                  ///< numbers of iterations that have failed alone
  std::optional<IterationFailure> memory_failure{};  ///< of one of them, if it lacked memory
};

/// The trainings in the slots of a stack. Each call of train() trains a piece of all of them. Those that need a
/// validation then are validated together. A training begins and ends, is validated, saved and cut as by
/// train_iteration(), with the same result to rounding. The time of what is done together is divided equally. Not
/// shared between threads.
class StackedTrainings {
 public:
  /// `context` and `stack` outlive the object.
  StackedTrainings(const TrainingContext& context, StackTrainer& stack);
  ~StackedTrainings();

  std::int64_t free_slots() const;
  bool is_empty() const { return free_slots() == static_cast<std::int64_t>(slots_.size()); }

  /// Begins an iteration in a free slot. Its trial and its input must have the shape of the stack. Throws the errors of
  /// this iteration; the slot is then still free.
  void begin(const Iteration& iteration, const Trial& trial, IterationInput input);

  /// Trains a piece of each training, or validates it, and ends those that are over. Once `stop_requested` returns
  /// true, trainings that need longer save a checkpoint and leave, all of them within max_seconds_after_stop. Throws
  /// the errors of the stack, after which only unfinished() and the destructor may be called. Appends to `ended`, also
  /// before it throws.
  void train(const std::function<bool()>& stop_requested, EndedTrainings& ended);

  /// The numbers of the iterations in the slots.
  std::vector<std::int64_t> unfinished() const;

 private:
  struct Slot;

  template <class Work>
  void attempt(std::size_t slot, EndedTrainings& ended, const Work& work);
  void train_piece();
  void validate(EndedTrainings& ended, const std::function<bool()>& stop_requested);
  void finish(EndedTrainings& ended);
  bool must_leave(const Slot& slot, const std::function<bool()>& stop_requested);
  bool is_stopping(const std::function<bool()>& stop_requested);
  void leave(const std::function<bool()>& stop_requested);

  const TrainingContext& context_;
  StackTrainer& stack_;
  std::vector<SlotTrainer> trainers_;
  std::vector<std::unique_ptr<Slot>> slots_;  // null: free
  PieceSize piece_;
  std::optional<Clock::time_point> stopped_at_;
};

}  // namespace sheaf
