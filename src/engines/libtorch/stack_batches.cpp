// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_batches.hpp"

#include <algorithm>
#include <cstddef>

#include "core/padding.hpp"
#include "training/losses/reduction.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t number_count = static_cast<std::int64_t>(StackNumber::count);

// On a GPU, larger blocks make uploads rare; on a CPU a block should fit the cache.
constexpr std::int64_t stack_block_bytes_cpu = std::int64_t{1} << 20;
constexpr std::int64_t stack_block_bytes_gpu = std::int64_t{64} << 20;

double& number_at(double* numbers, StackNumber which) {
  return numbers[static_cast<std::int64_t>(which)];
}

// The numbers with which a step changes nothing of a slot; the others are 0.
void fill_idle_numbers(double* numbers) {
  std::fill_n(numbers, number_count, 0.0);
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

StackBatches::StackBatches(const StackShape& shape, const DataSet& data, torch::Device device)
    : shape_(shape), data_(data), padded_rows_(round_up(shape.batch_rows, padding)), upload_(device) {}

std::int64_t StackBatches::count(const std::vector<SlotRows>& rows) const {
  std::int64_t most = 0;
  for (const SlotRows& of_slot : rows)
    if (of_slot.rows.rows != nullptr) most = std::max(most, of_slot.rows.count);
  return (most + shape_.batch_rows - 1) / shape_.batch_rows;
}

std::int64_t StackBatches::block_count(std::int64_t slots) const {
  std::int64_t row_bytes = sizeof(std::int64_t) + sizeof(double);
  for (const Layer& layer : shape_.layers)
    if (shape_.has_dropout && layer.drops) row_bytes += layer.outputs * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t most = upload_.device().is_cuda() ? stack_block_bytes_gpu : stack_block_bytes_cpu;
  return std::max<std::int64_t>(1, most / (slots * padded_rows_ * row_bytes));
}

// Like a batch, with a first dimension of batches. All slots are idle.
StackBatch StackBatches::empty_block(std::int64_t batches, std::int64_t slots) const {
  StackBatch block;
  block.rows = torch::zeros({batches, slots, padded_rows_}, torch::kInt64);
  block.weights = torch::zeros({batches, slots, padded_rows_}, torch::kFloat64);
  block.numbers = torch::empty({batches, slots, number_count}, torch::kFloat64);
  for (std::int64_t place = 0; place < batches * slots; ++place)
    fill_idle_numbers(block.numbers.data_ptr<double>() + place * number_count);
  for (const Layer& layer : shape_.layers)
    block.masks.push_back(shape_.has_dropout && layer.drops
                              ? torch::zeros({batches, slots, padded_rows_, layer.outputs}, torch::kFloat32)
                              : torch::Tensor());
  return block;
}

StackBatches::Place StackBatches::place_in(const StackBatch& block, std::int64_t batch, std::int64_t slot) const {
  const std::int64_t place = batch * block.rows.size(1) + slot;
  Place found{block.rows.data_ptr<std::int64_t>() + place * padded_rows_,
              block.weights.data_ptr<double>() + place * padded_rows_,
              block.numbers.data_ptr<double>() + place * number_count,
              {}};
  for (const torch::Tensor& mask : block.masks)
    found.masks.push_back(mask.defined() ? mask.data_ptr<float>() + place * padded_rows_ * mask.size(3) : nullptr);
  return found;
}

std::vector<StackBatch> StackBatches::make(const std::vector<SlotRows>& rows, IndexRange which,
                                           std::vector<std::optional<StackSlot>>& slots) const {
  StackBatch block = empty_block(which.count(), static_cast<std::int64_t>(slots.size()));
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    for (std::int64_t batch = which.begin; batch < which.end && rows[slot].rows.rows != nullptr; ++batch)
      fill(rows[slot], batch, *slots[slot], place_in(block, batch - which.begin, static_cast<std::int64_t>(slot)));
  block.rows = upload_(block.rows);
  block.weights = upload_(block.weights);
  block.numbers = upload_(block.numbers);
  for (torch::Tensor& mask : block.masks)
    if (mask.defined()) mask = upload_(mask);
  std::vector<StackBatch> batches;
  for (std::int64_t batch = 0; batch < which.count(); ++batch) {
    batches.push_back({block.rows[batch], block.weights[batch], block.numbers[batch], {}});
    for (const torch::Tensor& mask : block.masks)
      batches.back().masks.push_back(mask.defined() ? mask[batch] : torch::Tensor());
  }
  return batches;
}

void StackBatches::fill(const SlotRows& rows, std::int64_t batch, StackSlot& slot, const Place& place) const {
  const std::int64_t begin = batch * shape_.batch_rows, step = rows.rows.first_step + batch;
  const std::int64_t count = std::min(shape_.batch_rows, rows.rows.count - begin);
  if (count <= 0) return;
  fill_rows(rows.rows.rows + begin, count, slot, place);
  fill_numbers(rows, step, count, slot, place.numbers);
  if (shape_.has_dropout) fill_masks({slot.seed, step}, count, slot, place);
}

void StackBatches::fill_rows(const std::int64_t* rows, std::int64_t count, const StackSlot& slot,
                             const Place& place) const {
  std::copy_n(rows, count, place.rows);
  std::fill_n(place.rows + count, padded_rows_ - count, rows[0]);
  std::transform(rows, rows + count, place.weights, [&](std::int64_t row) { return weight_of(row, slot); });
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

// Padding, a repeated row, has its mask, too.
void StackBatches::fill_masks(TrainingStep step, std::int64_t count, const StackSlot& slot, const Place& place) const {
  for (std::size_t layer = 0; layer < place.masks.size(); ++layer) {
    float* mask = place.masks[layer];
    if (mask == nullptr) continue;
    const std::int64_t width = shape_.layers[layer].outputs;
    draw_dropout_mask(step, layer, slot.dropout, 0, mask, count * width);
    for (std::int64_t row = count; row < padded_rows_; ++row) std::copy_n(mask, width, mask + row * width);
  }
}

}  // namespace sheaf
