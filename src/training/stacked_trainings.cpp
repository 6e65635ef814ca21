// SPDX-License-Identifier: MIT
#include "training/stacked_trainings.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/clock.hpp"

namespace sheaf {

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

EndedTrainings StackedTrainings::train(const std::function<bool()>& stop_requested) {
  train_piece();
  EndedTrainings ended;
  for (auto& slot : slots_) {
    if (!slot) continue;
    std::optional<TrainedIteration> trained;
    const auto failure = failure_of([&] {
      MemoryTraining& training = slot->training;
      training.save_if_due();
      training.cut_if_due();
      if (training.validates_next()) validate(*slot, stop_requested);
      if (!training.is_over()) return;
      trained = training.finish();
      trained->result.seconds += training.seconds();
    });
    if (failure) ended.failed.push_back(slot->iteration.number);
    if (failure && failure->lacks_memory) ended.memory_failure = failure;
    if (trained) ended.trained.push_back(std::move(*trained));
    if (failure || trained) slot.reset();
  }
  leave(stop_requested);
  return ended;
}

// All trainings together may take a certain time after a stop. One that is cut after its validation is validated
// anyway.
void StackedTrainings::validate(Slot& slot, const std::function<bool()>& stop_requested) {
  const bool is_cut_next = slot.training.cut_if_due();
  double most_seconds = max_seconds_after_stop;
  if (is_stopping(stop_requested)) most_seconds -= seconds_since(*stopped_at_);
  slot.is_leaving = !is_cut_next && most_seconds <= 0;
  if (slot.is_leaving) return;
  slot.is_leaving = !slot.training.validate(stop_requested, most_seconds);
  slot.training.save_if_due();
  slot.training.cut_if_due();
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
