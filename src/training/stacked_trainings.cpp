// SPDX-License-Identifier: MIT
#include "training/stacked_trainings.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/clock.hpp"

namespace sheaf {
namespace {

std::size_t slot_of(const SlotEvaluation& evaluation) {
  return static_cast<std::size_t>(evaluation.slot);
}

}  // namespace

// One training. The members before `training` are what it refers to.
struct StackedTrainings::Slot {
  Slot(const TrainingContext& context, const Iteration& of_iteration, Trial of_trial, IterationInput of_input,
       SlotTrainer& trainer)
      : iteration(of_iteration),
        trial(std::move(of_trial)),
        input(std::move(of_input)),
        training(context, iteration, trial, context.plan.stage(iteration.stage), input, trainer) {}

  Iteration iteration;
  Trial trial;
  IterationInput input;
  MemoryTraining training;
  bool is_leaving = false;  // there was no time for a validation
};

StackedTrainings::StackedTrainings(const TrainingContext& context, StackTrainer& stack)
    : context_(context), stack_(stack), slots_(static_cast<std::size_t>(stack.width())) {
  for (std::int64_t slot = 0; slot < stack.width(); ++slot) trainers_.emplace_back(stack, slot);
}

StackedTrainings::~StackedTrainings() = default;

std::int64_t StackedTrainings::free_slots() const {
  return std::count(slots_.begin(), slots_.end(), nullptr);
}

std::vector<std::int64_t> StackedTrainings::unfinished() const {
  std::vector<std::int64_t> numbers;
  for (const auto& slot : slots_)
    if (slot) numbers.push_back(slot->iteration.number);
  return numbers;
}

void StackedTrainings::begin(const Iteration& iteration, const Trial& trial, IterationInput input) {
  const auto free = std::find(slots_.begin(), slots_.end(), nullptr);
  assert(free != slots_.end());
  SlotTrainer& trainer = trainers_[static_cast<std::size_t>(free - slots_.begin())];
  *free = std::make_unique<Slot>(context_, iteration, trial, std::move(input), trainer);
}

void StackedTrainings::train(const std::function<bool()>& stop_requested, EndedTrainings& ended) {
  train_piece();
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    attempt(slot, ended, [](Slot& of_slot) {
      of_slot.training.save_if_due();
      of_slot.training.cut_if_due();
    });
  validate(ended, stop_requested);
  finish(ended);
  leave(stop_requested);
}

// Does a part of the training in a slot, if there is one. If it fails, the training ends.
template <class Work>
void StackedTrainings::attempt(std::size_t slot, EndedTrainings& ended, const Work& work) {
  std::unique_ptr<Slot>& place = slots_[slot];
  if (!place) return;
  const auto failure = failure_of([&] { work(*place); });
  if (!failure) return;
  ended.failed.push_back(place->iteration.number);
  if (failure->lacks_memory) ended.memory_failure = failure;
  place.reset();
}

// Validates the trainings that need it, with one evaluation of the stack. Scores take time, too.
void StackedTrainings::validate(EndedTrainings& ended, const std::function<bool()>& stop_requested) {
  const auto start = Clock::now();
  std::vector<SlotEvaluation> evaluations;  // two of a slot in turn: MemoryTraining::begin_validation()
  evaluations.reserve(2 * slots_.size());
  for (std::size_t index = 0; index < slots_.size(); ++index)
    attempt(index, ended, [&](Slot& slot) {
      if (!slot.training.validates_next()) return;
      slot.is_leaving = must_leave(slot, stop_requested);
      if (slot.is_leaving) return;
      for (const auto& [rows, outputs] : slot.training.begin_validation())
        evaluations.push_back(
            {static_cast<std::int64_t>(index), rows.data(), static_cast<std::int64_t>(rows.size()), &outputs});
    });
  if (evaluations.empty()) return;
  stack_.evaluate(evaluations, [&](std::int64_t slot) {
    return must_leave(*slots_[static_cast<std::size_t>(slot)], stop_requested);
  });
  for (std::size_t index = 0; index < evaluations.size(); index += 2)
    attempt(slot_of(evaluations[index]), ended, [&](Slot& slot) {
      const auto &validation = evaluations[index].loss_sum, &stopping = evaluations[index + 1].loss_sum;
      slot.is_leaving = !validation || !stopping || must_leave(slot, stop_requested);
      if (!slot.is_leaving) slot.training.end_validation({*validation, *stopping});
    });
  const double seconds = 2 * seconds_since(start) / static_cast<double>(evaluations.size());
  for (std::size_t index = 0; index < evaluations.size(); index += 2)
    attempt(slot_of(evaluations[index]), ended, [&](Slot& slot) {
      slot.training.add_validation_seconds(seconds);
      slot.training.save_if_due();
      slot.training.cut_if_due();
    });
}

void StackedTrainings::finish(EndedTrainings& ended) {
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    if (!slots_[index] || !slots_[index]->training.is_over()) continue;
    attempt(index, ended, [&](Slot& slot) {
      TrainedIteration trained = slot.training.finish();
      trained.result.seconds += slot.training.seconds();
      ended.trained.push_back(std::move(trained));
    });
    slots_[index].reset();
  }
}

// Whether the time after a stop, which all trainings together may take, is over for a validation. One after which the
// training is cut is completed anyway.
bool StackedTrainings::must_leave(const Slot& slot, const std::function<bool()>& stop_requested) {
  return is_stopping(stop_requested) && seconds_since(*stopped_at_) >= max_seconds_after_stop &&
         !slot.training.is_cut_due();
}

bool StackedTrainings::is_stopping(const std::function<bool()>& stop_requested) {
  if (context_.checkpoints == nullptr || !stop_requested()) return false;
  if (!stopped_at_) stopped_at_ = Clock::now();
  return true;
}

// Trains the next batches of all trainings, as many as the one with the fewest of them can train at once.
void StackedTrainings::train_piece() {
  std::int64_t batches = piece_.batches();
  std::int64_t count = 0;
  const auto trains = [](const auto& slot) {
    return slot && !slot->training.is_over() && !slot->training.validates_next();
  };
  for (const auto& slot : slots_)
    if (trains(slot)) {
      batches = slot->training.batches(batches);
      ++count;
    }
  if (count == 0) return;
  const auto start = Clock::now();
  std::vector<SlotRows> rows(slots_.size());
  std::vector<double> sums(slots_.size(), 0);
  for (std::size_t index = 0; index < slots_.size(); ++index)
    if (trains(slots_[index])) {
      MemoryTraining& training = slots_[index]->training;
      rows[index] = {training.next_rows(batches), &training.rate()};
      sums[index] = training.loss_sum();
    }
  stack_.train(rows, sums.data());
  const double seconds = seconds_since(start);
  piece_.update(batches, seconds);
  for (std::size_t index = 0; index < slots_.size(); ++index)
    if (rows[index].rows.rows != nullptr)
      slots_[index]->training.trained(rows[index].rows, sums[index], seconds / static_cast<double>(count));
}

// Saves and ends the trainings that take too long to finish, if the job is stopping. They share the time, so each one
// needs as long as all of them.
void StackedTrainings::leave(const std::function<bool()>& stop_requested) {
  if (is_empty() || !is_stopping(stop_requested)) return;
  double seconds_left = 0;
  for (const auto& slot : slots_)
    if (slot) seconds_left += slot->is_leaving ? 2 * max_seconds_after_stop : slot->training.seconds_left();
  if (!(seconds_left > max_seconds_after_stop)) return;
  for (auto& slot : slots_) {
    if (!slot) continue;
    slot->training.save();
    slot.reset();
  }
}

}  // namespace sheaf
