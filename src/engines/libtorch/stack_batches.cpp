// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_batches.hpp"

#include <algorithm>
#include <cstddef>

#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

double& number_at(double* numbers, StackNumber which) {
  return numbers[static_cast<std::int64_t>(which)];
}

// The numbers with which a step changes nothing of a slot; the others are 0.
void fill_idle_numbers(double* numbers) {
  std::fill_n(numbers, static_cast<std::int64_t>(StackNumber::count), 0.0);
  for (const StackNumber one :
       {StackNumber::root_scale, StackNumber::shrink, StackNumber::momentum, StackNumber::velocity_weight,
        StackNumber::beta1, StackNumber::beta2, StackNumber::alpha, StackNumber::epsilon, StackNumber::clip_norm,
        StackNumber::clip_value, StackNumber::unbiased, StackNumber::keep_scale})
    number_at(numbers, one) = 1;
}

void fill_rule(const UpdateRule<double>& rule, const TrainOptions& train, double* to) {
  number_at(to, StackNumber::rate) = rule.rate;
  number_at(to, StackNumber::corrected_rate) = rule.corrected_rate;
  number_at(to, StackNumber::gradient_rate) = rule.gradient_rate;
  number_at(to, StackNumber::root_scale) = rule.root_scale;
  number_at(to, StackNumber::weight_decay) = rule.weight_decay;
  number_at(to, StackNumber::shrink) = rule.shrink;
  number_at(to, StackNumber::momentum) = rule.momentum;
  number_at(to, StackNumber::velocity_weight) = train.nesterov ? rule.momentum : 1;
  number_at(to, StackNumber::gradient_weight) = train.nesterov ? 1 : 0;
  number_at(to, StackNumber::beta1) = rule.beta1;
  number_at(to, StackNumber::beta1_rest) = 1 - rule.beta1;
  number_at(to, StackNumber::beta2) = rule.beta2;
  number_at(to, StackNumber::beta2_rest) = 1 - rule.beta2;
  number_at(to, StackNumber::alpha) = rule.alpha;
  number_at(to, StackNumber::alpha_rest) = 1 - rule.alpha;
  number_at(to, StackNumber::epsilon) = rule.epsilon;
}

}  // namespace

StackSlot::StackSlot(const TrainingTask& task)
    : seed(task.seed),
      train(task.trial.train),
      dropout(task.trial.model.dropout),
      class_weights(task.class_weights),
      target_scaling(&task.split.target_scaling),
      updater(task.trial.train) {}

std::int64_t StackBatches::count(const std::vector<SlotRows>& rows) const {
  std::int64_t most = 0;
  for (const SlotRows& of_slot : rows)
    if (of_slot.rows.rows != nullptr) most = std::max(most, of_slot.rows.count);
  return (most + shape_.batch_rows - 1) / shape_.batch_rows;
}

void StackBatches::fill(const std::vector<SlotRows>& rows, IndexRange which,
                        std::vector<std::optional<StackSlot>>& slots, std::uint8_t* to) const {
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    for (std::int64_t batch = which.begin; batch < which.end; ++batch) {
      const Place place{to + (batch - which.begin) * layout_.bytes(), static_cast<std::int64_t>(slot)};
      if (rows[slot].rows.rows != nullptr && batch * shape_.batch_rows < rows[slot].rows.count)
        fill(rows[slot], batch, *slots[slot], place);
      else
        fill_idle(place);
    }
}

// Its masks do not matter, as long as they are zeros and ones.
void StackBatches::fill_idle(const Place& place) const {
  std::fill_n(layout_.rows_of(place.batch, place.slot), layout_.rows(), 0);
  std::fill_n(layout_.weights_of(place.batch, place.slot), layout_.rows(), 0.0);
  fill_idle_numbers(layout_.numbers_of(place.batch, place.slot));
}

void StackBatches::fill(const SlotRows& rows, std::int64_t batch, StackSlot& slot, const Place& place) const {
  const std::int64_t begin = batch * shape_.batch_rows, step = rows.rows.first_step + batch;
  const std::int64_t count = std::min(shape_.batch_rows, rows.rows.count - begin);
  fill_rows(rows.rows.rows + begin, count, slot, place);
  fill_numbers(rows, step, count, slot, layout_.numbers_of(place.batch, place.slot));
  if (shape_.has_dropout) fill_masks({slot.seed, step}, count, slot, place);
}

void StackBatches::fill_rows(const std::int64_t* rows, std::int64_t count, const StackSlot& slot,
                             const Place& place) const {
  std::int64_t* const to = layout_.rows_of(place.batch, place.slot);
  double* const weights = layout_.weights_of(place.batch, place.slot);
  std::copy_n(rows, count, to);
  std::fill(to + count, to + layout_.rows(), rows[0]);
  std::transform(rows, rows + count, weights, [&](std::int64_t row) { return weight_of(row, slot); });
  std::fill(weights + count, weights + layout_.rows(), 0.0);
}

double StackBatches::weight_of(std::int64_t row, const StackSlot& slot) const {
  const double weight = data_.weights == nullptr ? 1 : double{data_.weights[row]};
  if (slot.class_weights.empty()) return weight;
  return weight * slot.class_weights[static_cast<std::size_t>(data_.labels[row])];
}

void StackBatches::fill_numbers(const SlotRows& rows, std::int64_t step, std::int64_t count, StackSlot& slot,
                                double* to) const {
  const TrainOptions& train = slot.train;
  const auto row_count = static_cast<double>(count);
  slot.updater.begin_step(step, (*rows.rate)(step));
  fill_rule(slot.updater.rule(), train, to);
  number_at(to, StackNumber::gradient_scale) = batch_factor(train, shape_.layers.back().outputs, count);
  number_at(to, StackNumber::smoothing) = train.label_smoothing;
  number_at(to, StackNumber::l1) = train.l1;
  number_at(to, StackNumber::clip_norm) = train.clip_norm;
  number_at(to, StackNumber::clip_value) = train.clip_value;
  number_at(to, StackNumber::average_share) = step == 0 ? 1 : 1 - train.average_decay;
  number_at(to, StackNumber::row_count) = row_count;
  number_at(to, StackNumber::row_share) = 1 / row_count;
  number_at(to, StackNumber::unbiased) = count == 1 ? 1 : row_count / (row_count - 1);
  number_at(to, StackNumber::norm_share) = count == 1 ? 0 : batch_norm_momentum;
  number_at(to, StackNumber::keep_scale) = 1 / (1 - slot.dropout);
}

// Padding, a repeated row, has the mask of that row.
void StackBatches::fill_masks(TrainingStep step, std::int64_t count, const StackSlot& slot, const Place& place) const {
  for (std::size_t layer = 0; layer < layout_.layers(); ++layer) {
    const std::int64_t width = layout_.mask_width(layer);
    if (width == 0) continue;
    std::uint8_t* const mask = layout_.mask_of(place.batch, place.slot, layer);
    draw_dropout_mask(step, layer, slot.dropout, 0, mask, count * width);
    for (std::int64_t row = count; row < layout_.rows(); ++row) std::copy_n(mask, width, mask + row * width);
  }
}

}  // namespace sheaf
