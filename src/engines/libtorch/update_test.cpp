// SPDX-License-Identifier: MIT
#include "engines/libtorch/update_test.hpp"

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <random>

namespace sheaf {
namespace {

using torch::Tensor;

constexpr std::int64_t column_count = static_cast<std::int64_t>(StackNumber::count);

// What the values of a slot are.
enum class Drawn { ordinary, sparse, tiny, large, with_nan, idle };
constexpr std::array drawn_slots = {Drawn::ordinary, Drawn::with_nan, Drawn::tiny,    Drawn::idle,
                                    Drawn::sparse,   Drawn::large,    Drawn::ordinary};

// All kinds of slots in turn.
Drawn kind_of(std::int64_t slot) {
  return drawn_slots[static_cast<std::size_t>(slot) % drawn_slots.size()];
}

struct TestedUpdate {
  StackBatch batch;
  StackState state;
};

class Draws {
 public:
  // In (0, 1].
  double uniform() { return (static_cast<double>(engine_() >> 11) + 1) * 0x1p-53; }
  double between(double low, double high) { return low * std::pow(high / low, uniform()); }
  bool once_in(int count) { return uniform() * count <= 1; }

  // A value whose sign is drawn.
  double value(Drawn slot, double smallest) {
    if (slot == Drawn::sparse && once_in(2)) return once_in(2) ? 0.0 : -0.0;
    if (slot == Drawn::with_nan && once_in(8)) return std::numeric_limits<double>::quiet_NaN();
    if (slot == Drawn::with_nan && once_in(8)) return std::numeric_limits<double>::infinity();
    const double size = slot == Drawn::tiny    ? between(smallest, smallest * 1e8)
                        : slot == Drawn::large ? between(1e10, 1e30)
                                               : between(1e-6, 1e2);
    return once_in(2) ? size : -size;
  }

 private:
  std::mt19937_64 engine_{1};
};

void set_numbers(double* numbers, std::initializer_list<StackNumber> which, const std::function<double()>& value) {
  for (const StackNumber one : which) numbers[static_cast<std::int64_t>(one)] = value();
}

// Numbers of an optimizer that are different for each slot. For an idle slot they are those of an idle slot.
void draw_numbers(Drawn slot, Draws& draws, double* numbers) {
  const bool is_idle = slot == Drawn::idle, is_plain = slot == Drawn::sparse;
  const auto step = [&] { return is_idle ? 0 : draws.between(1e-4, 1); };
  const auto kept = [&] { return is_idle ? 1 : 1 - draws.between(1e-4, 0.5); };
  const auto decay = [&] { return is_plain ? 0 : step(); };
  set_numbers(numbers, {StackNumber::rate, StackNumber::corrected_rate, StackNumber::gradient_rate}, step);
  set_numbers(numbers, {StackNumber::beta1_rest, StackNumber::beta2_rest, StackNumber::alpha_rest}, step);
  set_numbers(numbers, {StackNumber::weight_decay, StackNumber::gradient_weight}, decay);
  set_numbers(numbers, {StackNumber::shrink, StackNumber::momentum, StackNumber::velocity_weight}, kept);
  set_numbers(numbers, {StackNumber::beta1, StackNumber::beta2, StackNumber::alpha}, kept);
  set_numbers(numbers, {StackNumber::root_scale}, [&] { return is_idle ? 1 : draws.between(1, 50); });
  set_numbers(numbers, {StackNumber::epsilon}, [&] { return is_idle ? 1 : draws.between(1e-10, 1e-4); });
  set_numbers(numbers, {StackNumber::average_share}, [&] { return is_plain ? 1 : step(); });
}

Tensor drawn_values(Draws& draws, UpdateSize size, const torch::TensorOptions& options) {
  const double smallest = options.dtype() == torch::kFloat64 ? std::numeric_limits<double>::denorm_min()
                                                             : double{std::numeric_limits<float>::denorm_min()};
  Tensor values = torch::empty({size.slots, size.stride}, torch::kFloat64);
  double* to = values.data_ptr<double>();
  for (std::int64_t slot = 0; slot < size.slots; ++slot)
    for (std::int64_t value = 0; value < size.stride; ++value, ++to) *to = draws.value(kind_of(slot), smallest);
  return values.to(options);
}

// The same values at every call.
TestedUpdate drawn_update(const StackShape& shape, UpdateSize size, const torch::TensorOptions& options) {
  Draws draws;
  const auto values = [&] { return drawn_values(draws, size, options); };
  TestedUpdate drawn;
  Tensor numbers = torch::zeros({size.slots, column_count}, torch::kFloat64);
  for (std::int64_t slot = 0; slot < size.slots; ++slot)
    draw_numbers(kind_of(slot), draws, numbers.data_ptr<double>() + slot * column_count);
  drawn.batch.numbers = numbers.to(options);
  drawn.state.parameters = values();
  drawn.state.gradients = values();
  drawn.state.gradients.masked_fill_(drawn.batch.number(StackNumber::rate).eq(0), 0);  // as limit_gradients()
  drawn.state.first = values();
  if (has_second_moment(shape.optimizer)) drawn.state.second = values().abs();
  drawn.state.averages = values();
  return drawn;
}

StackState copy_of(const StackState& state, bool with_averages) {
  StackState copy;
  copy.parameters = state.parameters.clone();
  copy.gradients = state.gradients.clone();
  copy.first = state.first.clone();
  if (state.second.defined()) copy.second = state.second.clone();
  if (with_averages) copy.averages = state.averages.clone();
  return copy;
}

// The number of values whose bits differ. All NaN are equal.
std::int64_t differing(const Tensor& one, const Tensor& other) {
  if (!one.defined() && !other.defined()) return 0;
  const auto bits = [](const Tensor& values) {
    return values.view(values.scalar_type() == torch::kFloat64 ? torch::kInt64 : torch::kInt32);
  };
  const Tensor equal = bits(one).eq(bits(other)).logical_or(one.isnan().logical_and(other.isnan()));
  return equal.logical_not().sum().item<std::int64_t>();
}

std::int64_t differing(const StackState& one, const StackState& other) {
  return differing(one.parameters, other.parameters) + differing(one.first, other.first) +
         differing(one.second, other.second) + differing(one.averages, other.averages);
}

// The number of values that differ between the kernel and update_parameters().
std::int64_t wrong_values(const UpdateKernel& kernel, const StackShape& shape, const TestedUpdate& drawn, int fused) {
  std::int64_t wrong = 0;
  for (const bool with_averages : {false, true}) {
    StackState expected = copy_of(drawn.state, with_averages), found = copy_of(drawn.state, with_averages);
    update_parameters(shape, drawn.batch, expected);
    kernel(shape, drawn.batch, found, fused);
    wrong += differing(found, expected);
  }
  return wrong;
}

}  // namespace

UpdateTest test_update(const UpdateKernel& kernel, const StackShape& shape, const torch::TensorOptions& options,
                       UpdateSize size) {
  const c10::InferenceMode inference;
  try {
    const TestedUpdate drawn = drawn_update(shape, size, options);
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (const int fused :
         {0, +update_fuses_products, +update_fuses_means, update_fuses_products | update_fuses_means}) {
      const std::int64_t wrong = wrong_values(kernel, shape, drawn, fused);
      if (wrong == 0) return {fused, {}};
      fewest = std::min(fewest, wrong);
    }
    return {std::nullopt, fmt::format("{} values differ", fewest)};
  } catch (const std::exception& error) {
    return {std::nullopt, error.what()};
  }
}

}  // namespace sheaf
