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
                             std::shared_ptr<const DataTensors> tensors, bool ahead)
    : shape_(shape),
      tensors_(std::move(tensors)),
      upload_(tensors_->features.device()),
      batches_(shape, width, data),
      slots_(static_cast<std::size_t>(width)) {
  const c10::InferenceMode inference;
  const torch::Device device = upload_.device();
  step_ = std::make_unique<StackStep>(shape, width, data, *tensors_);
  feed_ = std::make_unique<StackFeed>(batches_.layout(), device, ahead);
  loss_sums_ = torch::zeros({width}, torch::TensorOptions(torch::kFloat64).device(device));
  record_steps();
}

// The graphs compute steps when they are made, but no slot has begun: all are idle, and start() sets all of a slot.
void StackTraining::record_steps() {
  const std::vector<SlotRows> none(slots_.size());
  const auto idle = [&](IndexRange which, std::uint8_t* to) { batches_.fill(none, which, slots_, to); };
  const auto nothing = [] {};
  const std::vector<StackBatch>& places = feed_->places();
  feed_->feed(static_cast<std::int64_t>(places.size()), idle, nothing, nothing);
  const auto step = [this](const StackBatch& batch) { step_->train(batch, loss_sums_); };
  all_steps_ = std::make_unique<StackGraph>(upload_.device(),
                                            [step, &places] { std::for_each(places.begin(), places.end(), step); });
  one_step_ = std::make_unique<StackGraph>(
      upload_.device(), [step, &places] { step(places.front()); }, all_steps_.get());
}

void StackTraining::start(std::int64_t slot, const TrainingTask& task) {
  const c10::InferenceMode inference;
  slots_[static_cast<std::size_t>(slot)].emplace(task);
  step_->start(slot, task);
}

void StackTraining::train(const std::vector<SlotRows>& rows, double* loss_sums) {
  const c10::InferenceMode inference;
  const FlushDenormals flush;
  loss_sums_.copy_(view_of(loss_sums, {width()}, torch::kFloat64));
  const auto fill = [&](IndexRange which, std::uint8_t* to) {
    const FlushDenormals flush_here;  // it may be another thread
    batches_.fill(rows, which, slots_, to);
  };
  feed_->feed(
      batches_.count(rows), fill, [&] { all_steps_->launch(); }, [&] { one_step_->launch(); });
  const torch::Tensor found = loss_sums_.to(torch::kCPU);  // waits for a GPU
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
