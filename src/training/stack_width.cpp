// SPDX-License-Identifier: MIT
#include "training/stack_width.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/padding.hpp"
#include "study/combinations.hpp"
#include "training/stack_limits.hpp"

namespace sheaf {
namespace {

// Models that fill the second-level cache of a large GPU (50 MB on an H100) give each operation enough work for all of
// its processors. More models are hardly faster, and their state then leaves the cache. An estimate: it has not been
// measured.
constexpr double filling_bytes = 32e6;
constexpr std::int64_t least_width = 16;

constexpr double mebibyte = 1 << 20;

constexpr std::int64_t number_bytes = 8;

std::int64_t value_bytes(Precision precision) {
  return precision == Precision::float64 ? 8 : 4;
}

// The values of a slot for each state: parameters, gradients and so on.
std::int64_t parameter_stride(const std::vector<Layer>& layers) {
  std::int64_t stride = 0;
  for (const Layer& layer : layers)
    stride += round_up(layer.weight_count(), stack_alignment) + round_up(layer.bias_count(), stack_alignment);
  return stride;
}

// Parameters, gradients, two moments, averages, and what an update needs for a short time. Not all optimizers have all
// of them.
double state_bytes(const StackShape& shape) {
  constexpr std::int64_t states = 4, temporary = 3;
  const std::int64_t averages = shape.average == Average::none ? 0 : 1;
  std::int64_t running = 0;  // statistics of batch norms
  for (const Layer& layer : shape.layers)
    if (layer.kind == Layer::Kind::batch_norm) running += 2 * round_up(layer.outputs, stack_alignment);
  const std::int64_t values = (states + temporary + averages) * parameter_stride(shape.layers) + running;
  return static_cast<double>(values * value_bytes(shape.precision));
}

// Numbers of a slot for each feature and output: scaling, edges of embeddings, units of targets.
double scaling_bytes(const StackShape& shape) {
  const Layer& first = shape.layers.front();
  const std::int64_t bins = first.is_encoding() ? 3 * max_edges * first.piecewise_count() : 0;
  return static_cast<double>(8 * (5 * first.inputs + bins + 5 * shape.layers.back().outputs));
}

// The values of a layer for one row that exist until its backward pass, as multiples of its outputs.
std::int64_t kept_per_output(const Layer& layer, bool has_dropout) {
  std::int64_t kept = 1;
  if (layer.is_norm()) kept += 2;
  if (layer.is_encoding()) kept += 4;  // places and rows of the weights, which are numbers of eight bytes
  if (layer.activated) kept += has_dropout && layer.drops ? 3 : 1;
  return kept;
}

// The bytes of all that exists for one row of a batch, in a training step.
double row_bytes(const StackShape& shape) {
  constexpr std::int64_t copies_of_features = 2, temporary = 3, loss_copies = 6;
  const std::int64_t bytes = value_bytes(shape.precision);
  const std::int64_t features = shape.layers.front().inputs, outputs = shape.layers.back().outputs;
  std::int64_t values = copies_of_features * features, widest = features, mask_bytes = 0;
  for (const Layer& layer : shape.layers) {
    values += kept_per_output(layer, shape.has_dropout) * layer.outputs;
    widest = std::max(widest, layer.outputs);
    if (shape.has_dropout && layer.drops) mask_bytes += layer.outputs;
  }
  values += temporary * widest;
  const std::int64_t losses = 8 * loss_copies * outputs;  // some of them in float64
  const std::int64_t prepared = most_batches_at_once * (2 * 8 + mask_bytes);
  return static_cast<double>(values * bytes + losses + prepared);
}

// The rows of all models that are evaluated together.
std::int64_t evaluated_rows(const std::vector<Layer>& layers) {
  std::int64_t widest = 1;
  for (const Layer& layer : layers) widest = std::max({widest, layer.inputs, layer.outputs});
  return std::max(most_evaluated_rows, evaluated_values_on_gpu / widest);
}

}  // namespace

StackMemory stack_memory(const StackShape& shape) {
  const std::int64_t outputs = shape.layers.back().outputs;
  StackMemory memory;
  memory.model_bytes = state_bytes(shape) + scaling_bytes(shape) +
                       static_cast<double>(round_up(shape.batch_rows, stack_padding)) * row_bytes(shape) +
                       static_cast<double>(most_batches_at_once * most_step_numbers * number_bytes);
  const auto classes = static_cast<double>(outputs * outputs * value_bytes(shape.precision));
  memory.fixed_bytes = static_cast<double>(most_block_bytes) +
                       static_cast<double>(evaluated_rows(shape.layers)) * row_bytes(shape) + classes;
  return memory;
}

std::int64_t most_that_fit(const StackShape& shape, std::int64_t most, double bytes) {
  const StackMemory memory = stack_memory(shape);
  const double fitting = std::max(0.0, bytes - memory.fixed_bytes) / memory.model_bytes;
  return static_cast<std::int64_t>(std::min(fitting, static_cast<double>(most)));
}

std::int64_t stack_width(const StackShape& shape, const StackSize& size) {
  assert(size.most > 0);
  if (size.memory_mib == 0) return size.most;
  const double filling = std::min(filling_bytes / stack_memory(shape).model_bytes, static_cast<double>(size.most));
  const std::int64_t wanted = next_power_of_two(static_cast<std::int64_t>(std::ceil(filling)));
  std::int64_t width = std::min(std::max(wanted, least_width), size.most);
  const double bytes = static_cast<double>(size.memory_mib) * mebibyte;
  while (width > 1 && stack_memory(shape).bytes(width) > bytes) width = (width + 1) / 2;
  return width;
}

StackSize stack_size_of(const Study& study) {
  const StackSize& size = *study.run.stack;
  const double most = std::clamp(planned_iterations(study), 2.0, static_cast<double>(max_stack));
  return {std::min(size.most, static_cast<std::int64_t>(most)), size.memory_mib};
}

std::int64_t next_power_of_two(std::int64_t count) {
  std::int64_t power = 1;
  while (power < count) power *= 2;
  return power;
}

}  // namespace sheaf
