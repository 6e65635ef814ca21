// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_training.hpp"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstddef>

#include "core/padding.hpp"
#include "engines/libtorch/tensor_values.hpp"
#include "engines/native/flush_denormals.hpp"
#include "models/target_units.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t evaluated_rows = 1024;  // at once: limits the memory

}  // namespace

StackTraining::StackTraining(const StackShape& shape, std::int64_t width, const DataSet& data,
                             std::shared_ptr<const DataTensors> tensors)
    : shape_(shape),
      tensors_(std::move(tensors)),
      upload_(tensors_->features.device()),
      batches_(shape, data, upload_.device()),
      slots_(static_cast<std::size_t>(width)) {
  const c10::InferenceMode inference;
  step_ = std::make_unique<StackStep>(shape, width, data, *tensors_);
}

void StackTraining::start(std::int64_t slot, const TrainingTask& task) {
  const c10::InferenceMode inference;
  slots_[static_cast<std::size_t>(slot)].emplace(task);
  step_->start(slot, task);
}

void StackTraining::train(const std::vector<SlotRows>& rows, double* loss_sums) {
  const c10::InferenceMode inference;
  const FlushDenormals flush;
  const std::int64_t count = batches_.count(rows), block = batches_.block_count(width());
  torch::Tensor sums = view_of(loss_sums, {width()}, torch::kFloat64).clone().to(upload_.device());
  for (std::int64_t begin = 0; begin < count; begin += block)
    for (const StackBatch& batch : batches_.make(rows, {begin, std::min(begin + block, count)}, slots_))
      step_->train(batch, sums);
  const torch::Tensor found = sums.to(torch::kCPU);
  for (std::size_t slot = 0; slot < rows.size(); ++slot)
    if (rows[slot].rows.rows != nullptr) loss_sums[slot] = found.data_ptr<double>()[slot];
}

// Always a stack of one slot, so that outputs do not depend on the width.
std::optional<double> StackTraining::evaluate(std::int64_t slot, const std::int64_t* rows, std::int64_t count,
                                              std::vector<float>& outputs,
                                              const std::function<bool()>& should_stop) const {
  const c10::InferenceMode inference;
  const FlushDenormals flush;
  torch::Tensor sum = torch::zeros({1}, torch::TensorOptions(torch::kFloat64).device(upload_.device()));
  for (std::int64_t begin = 0; begin < count; begin += evaluated_rows) {
    if (should_stop()) return std::nullopt;
    const std::int64_t now = std::min(evaluated_rows, count - begin), padded = round_up(now, padding);
    torch::Tensor numbers = torch::full({1, padded}, rows[begin], torch::kInt64);
    std::copy_n(rows + begin, now, numbers.data_ptr<std::int64_t>());
    torch::Tensor weights = torch::zeros({1, padded}, torch::kFloat64);
    std::fill_n(weights.data_ptr<double>(), now, 1.0);
    const torch::Tensor found = step_->evaluate(slot, upload_(numbers), upload_(weights), sum).narrow(0, 0, now);
    append_numbers(found, torch::kFloat32, outputs);
    to_target_units(*at(slot).target_scaling, now, outputs.data() + outputs.size() - found.numel());
  }
  return sum.item<double>();
}

NetworkState StackTraining::network(std::int64_t slot) const {
  const c10::InferenceMode inference;
  return in_target_units(step_->network(slot), shape_.layers, *at(slot).target_scaling);
}

void StackTraining::save(std::int64_t slot, ByteWriter& state) const {
  const c10::InferenceMode inference;
  step_->save(slot, state);
}

void StackTraining::restore(std::int64_t slot, ByteReader& state) {
  const c10::InferenceMode inference;
  step_->restore(slot, state);
}

}  // namespace sheaf
