// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_training.hpp"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstddef>

#include "engines/libtorch/tensor_values.hpp"
#include "engines/native/flush_denormals.hpp"
#include "models/target_units.hpp"
#include "training/stack_limits.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t evaluated_values_on_cpu = std::int64_t{1} << 18;  // of a layer: they should fit the cache

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

void StackTraining::evaluate(std::vector<SlotEvaluation>& evaluations,
                             const std::function<bool(std::int64_t slot)>& should_stop) const {
  const c10::InferenceMode inference;
  const FlushDenormals flush;
  for (SlotEvaluation& each : evaluations) each.loss_sum = 0;
  const auto is_stopped = [&](const EvaluationPiece& piece) {
    SlotEvaluation& evaluation = evaluations[piece.evaluation];
    if (evaluation.loss_sum && should_stop(evaluation.slot)) evaluation.loss_sum.reset();
    return !evaluation.loss_sum;
  };
  const std::int64_t most_values = upload_.device().is_cuda() ? evaluated_values_on_gpu : evaluated_values_on_cpu;
  for (EvaluationChunk& chunk : evaluation_chunks(evaluations, {shape_.layers, width(), most_values})) {
    auto& pieces = chunk.pieces;
    pieces.erase(std::remove_if(pieces.begin(), pieces.end(), is_stopped), pieces.end());
    if (!pieces.empty()) evaluate(chunk, evaluations);
  }
}

// Idle places have the slot of the first piece and rows that do not count.
void StackTraining::evaluate(const EvaluationChunk& chunk, std::vector<SlotEvaluation>& evaluations) const {
  torch::Tensor slots = torch::full({chunk.places}, evaluations[chunk.pieces.front().evaluation].slot, torch::kInt64);
  torch::Tensor rows = torch::zeros({chunk.places, chunk.rows}, torch::kInt64);
  torch::Tensor counts = torch::zeros({chunk.places, 1}, torch::kInt64);
  for (std::size_t place = 0; place < chunk.pieces.size(); ++place) {
    const auto [evaluation, begin, count] = chunk.pieces[place];
    const std::int64_t* const given = evaluations[evaluation].rows + begin;
    std::int64_t* const to = rows.data_ptr<std::int64_t>() + static_cast<std::int64_t>(place) * chunk.rows;
    std::fill_n(std::copy_n(given, count, to), chunk.rows - count, given[0]);
    slots.data_ptr<std::int64_t>()[place] = evaluations[evaluation].slot;
    counts.data_ptr<std::int64_t>()[place] = count;
  }
  const auto [outputs, sums] = step_->evaluate(upload_(slots), upload_(rows), upload_(counts));
  const torch::Tensor found = outputs.to(torch::kCPU, torch::kFloat32).contiguous(), losses = sums.to(torch::kCPU);
  for (std::size_t place = 0; place < chunk.pieces.size(); ++place) {
    const auto [evaluation, begin, count] = chunk.pieces[place];
    SlotEvaluation& of = evaluations[evaluation];
    if (!of.loss_sum) continue;  // stopped after its first rows
    *of.loss_sum += losses.data_ptr<double>()[place];
    const std::int64_t values = count * found.size(2);
    const float* const from = found.data_ptr<float>() + static_cast<std::int64_t>(place) * chunk.rows * found.size(2);
    of.outputs->insert(of.outputs->end(), from, from + values);
    to_target_units(*at(of.slot).target_scaling, count, of.outputs->data() + of.outputs->size() - values);
  }
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
