// SPDX-License-Identifier: MIT
#include "training/learning_rate.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "study/key_defaults.hpp"

namespace sheaf {
namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double least_improvement = 1e-4;  // of the validation loss, relative

// From `first` to `last` along half a cosine, as `done` goes from 0 to 1.
double annealed(double first, double last, double done) {
  return last + (first - last) * (1 + std::cos(pi * done)) / 2;
}

// The factor of the highest rate in a step of OneCycleLR, counted from 0.
double one_cycle(double step, double steps) {
  constexpr double rising_part = 0.3, first = 1.0 / 25, last = first / 1e4;
  const double top = rising_part * steps - 1;  // the step with the highest rate; between two steps, or negative
  return step <= top ? annealed(first, 1, step / top) : annealed(1, last, (step - top) / (steps - 1 - top));
}

}  // namespace

LearningRate::LearningRate(const TrainOptions& train, std::int64_t epoch_steps,
                           const std::vector<std::int64_t>& reductions)
    : train_(train),
      initial_(initial_learning_rate(train)),
      epoch_steps_(epoch_steps),
      warmup_steps_(std::llround(train.warmup_epochs * static_cast<double>(epoch_steps))),
      all_steps_(train.epochs * epoch_steps) {
  warmup_steps_ = std::min(warmup_steps_, all_steps_);
  for (const std::int64_t epoch : reductions) reduce_after(epoch);
}

void LearningRate::reduce_after(std::int64_t epoch) {
  reductions_.push_back(epoch);
  factors_.push_back((factors_.empty() ? 1 : factors_.back()) * train_.plateau_factor);
}

double LearningRate::plateau_factor(std::int64_t step) const {
  // The number of reductions before the step; a training that finds them itself has only such reductions.
  const auto epochs = step / epoch_steps_;
  const auto count = std::lower_bound(reductions_.begin(), reductions_.end(), epochs) - reductions_.begin();
  return count == 0 ? 1 : factors_[static_cast<std::size_t>(count - 1)];
}

double LearningRate::scheduled(std::int64_t step) const {
  if (step < warmup_steps_) return initial_ * static_cast<double>(step + 1) / static_cast<double>(warmup_steps_);
  const std::int64_t steps_done = step - warmup_steps_, epochs_done = steps_done / epoch_steps_;
  const auto steps = static_cast<double>(std::max<std::int64_t>(all_steps_ - warmup_steps_, 1));
  const double done = static_cast<double>(steps_done) / steps;
  switch (train_.schedule) {
    case Schedule::cosine:
      return initial_ * (1 + std::cos(pi * done)) / 2;
    case Schedule::plateau:
      return initial_ * plateau_factor(step);
    case Schedule::step:
      return initial_ * std::pow(train_.step_factor, epochs_done / train_.step_epochs);
    case Schedule::exponential:
      return initial_ * std::pow(train_.exponential_factor, epochs_done);
    case Schedule::linear:
      return initial_ * (1 - done);
    case Schedule::one_cycle:
      return initial_ * one_cycle(static_cast<double>(steps_done), steps);
    case Schedule::coslog:
      return initial_ * (1 - std::cos(2 * pi * std::log2(1 + 15 * done))) / 2;
    case Schedule::constant:
      break;
  }
  return initial_;
}

void LearningRate::validated(std::int64_t epoch, double loss) {
  if (train_.schedule != Schedule::plateau) return;
  if (loss < best_loss_ * (1 - least_improvement)) {
    best_loss_ = loss;
    bad_epochs_ = 0;
  } else if (++bad_epochs_ > train_.plateau_patience) {
    reduce_after(epoch);
    bad_epochs_ = 0;
  }
}

void LearningRate::save(ByteWriter& state) const {
  state.put(all_steps_);
  state.put_list(reductions_);
  state.put(best_loss_);
  state.put(bad_epochs_);
}

void LearningRate::restore(ByteReader& state) {
  const auto all_steps = state.get<std::int64_t>();
  const auto reductions = state.get_list<std::vector<std::int64_t>>();
  const auto best_loss = state.get<double>();
  const auto bad_epochs = state.get<std::int64_t>();
  // A training whose reductions were known has them from the beginning.
  const bool continues = reductions.size() >= reductions_.size() &&
                         std::equal(reductions_.begin(), reductions_.end(), reductions.begin()) &&
                         std::is_sorted(reductions.begin(), reductions.end());
  require(all_steps == all_steps_ && continues && !std::isnan(best_loss) && bad_epochs >= 0 &&
              bad_epochs <= train_.plateau_patience,
          "its learning rate does not match this training");
  for (auto epoch = reductions.begin() + static_cast<std::ptrdiff_t>(reductions_.size()); epoch != reductions.end();
       ++epoch)
    reduce_after(*epoch);
  best_loss_ = best_loss;
  bad_epochs_ = bad_epochs;
}

}  // namespace sheaf
