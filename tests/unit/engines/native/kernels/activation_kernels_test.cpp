// Compares activations and the sums of gradients and narrow layers on every instruction set of this processor with
// simple loops in double.
// SPDX-License-Identifier: MIT
#include "engines/native/kernels/kernels.hpp"

#include <cmath>
#include <limits>

#include "engines/native/kernels/feature_blocks.hpp"
#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

struct Point {
  double value, slope;
};

Point activation(Activation kind, double x) {
  switch (kind) {
    case Activation::relu:
      return {std::max(x, 0.0), x > 0 ? 1.0 : 0.0};
    case Activation::tanh:
      return {std::tanh(x), 1 - std::tanh(x) * std::tanh(x)};
    case Activation::sigmoid:
      return {1 / (1 + std::exp(-x)), 1 / (2 + std::exp(x) + std::exp(-x))};
    case Activation::gelu: {
      const double below = std::erfc(-x * std::sqrt(0.5)) / 2;  // the normal distribution's Phi
      const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
      return {x == 0 ? 0 : x * below, below + (std::abs(x) > 1e100 ? 0 : x * density)};
    }
    case Activation::silu: {
      const double sigmoid = 1 / (1 + std::exp(-x)), slope = 1 / (2 + std::exp(x) + std::exp(-x));
      return {x * sigmoid, sigmoid + (slope == 0 ? 0 : x * slope)};
    }
    case Activation::leaky_relu:
      return {x > 0 ? x : 0.01 * x, x > 0 ? 1 : 0.01};
    case Activation::elu:
      return {x > 0 ? x : std::expm1(x), x > 0 ? 1 : std::exp(x)};
    case Activation::selu: {
      const double scale = 1.0507009873554804934193349852946, below = scale * 1.6732632423543772848170429916717;
      return {x > 0 ? scale * x : below * std::expm1(x), x > 0 ? scale : below * std::exp(x)};
    }
    case Activation::mish: {
      const double inner = std::tanh(x > 40 ? x : std::log1p(std::exp(x)));
      const double sigmoid = 1 / (1 + std::exp(-x)),
                   rest = x > 40 ? 0 : 1 / std::pow(std::cosh(std::log1p(std::exp(x))), 2);
      return {x * inner, inner + (rest == 0 || sigmoid == 0 ? 0 : x * sigmoid * rest)};
    }
  }
  return {};
}

// Inputs that are dense near zero, inputs up to 100, and extreme values as in diverging trainings.
template <class Value>
std::vector<Value> activation_inputs(std::int64_t columns, std::int64_t row_count) {
  std::vector<Value> inputs;
  for (const double extreme : {0.0, 1e-30, 1e-5, 88.0, 104.0, 150.0, 710.0, 1e3, 1e10, 1e30})
    inputs.insert(inputs.end(), {static_cast<Value>(extreme), static_cast<Value>(-extreme)});
  const std::int64_t count = columns * row_count - static_cast<std::int64_t>(inputs.size());
  for (std::int64_t index = 0; index < count; ++index) {
    const double part = 2 * static_cast<double>(index) / static_cast<double>(count - 1) - 1;
    inputs.push_back(static_cast<Value>(index % 2 == 0 ? 100 * part : 8 * part));
  }
  return inputs;
}

template <class Value>
void check_activate(Activation kind, bool with_bias, bool with_keep, bool with_derivative) {
  constexpr std::int64_t columns = 31, row_count = 48;
  constexpr Value keep_scale = static_cast<Value>(4.0 / 3);
  const auto inputs = activation_inputs<Value>(columns, row_count);
  const auto bias = normals<Value>(columns, 5);
  std::vector<float> kept(inputs.size());
  for (std::size_t index = 0; index < kept.size(); ++index) kept[index] = index % 4 == 1 ? 0.0f : 1.0f;

  std::vector<double> right_values, right_slopes;
  for (std::size_t index = 0; index < inputs.size(); ++index) {
    const Value input = with_bias ? inputs[index] + bias[index / row_count] : inputs[index];
    const double factor = with_keep ? double{kept[index]} * static_cast<double>(keep_scale) : 1;
    const Point point = activation(kind, static_cast<double>(input));
    right_values.push_back(factor * point.value);
    right_slopes.push_back(factor * point.slope);
  }

  Guarded<Value> values(inputs), slopes(columns * row_count);
  Guarded<float> keep(kept);
  activation_kernels<Value>().activate(kind, with_bias ? bias.data() : nullptr, with_keep ? keep.data() : nullptr,
                                       keep_scale, columns, row_count, values.data(),
                                       with_derivative ? slopes.data() : nullptr);
  // The tolerance covers a few roundings of exp, erfc and products. In float, erfc alone is accurate to 1e-7. The
  // derivative of gelu multiplies the rounding error of exp(-x^2 / 2) by up to x^3 / 2.
  const double tolerance = pick<Value>(1e-6, 5e-15);
  INFO("activation " << static_cast<int>(kind) << ", bias " << with_bias << ", keep " << with_keep);
  CHECK(distance(values.values(), right_values) < tolerance);
  if (with_derivative) CHECK(distance(slopes.values(), right_slopes) < tolerance);
  CHECK(values.intact());
  CHECK(slopes.intact());
}

// Checks that the row layout gives bitwise the same values, for any padding.
template <class Value>
void check_activate_rows(Activation kind, std::int64_t columns, bool with_bias, bool with_keep, bool with_derivative) {
  constexpr std::int64_t row_count = 48;
  constexpr Value keep_scale = static_cast<Value>(4.0 / 3);
  const std::int64_t padded = round_up(columns, padding), keep_stride = columns + 5;
  const auto inputs = activation_inputs<Value>(columns, row_count);  // column layout
  std::vector<Value> bias = normals<Value>(columns, 5);
  bias.resize(at(padded));
  Guarded<Value> by_columns(inputs), slopes_by_columns(columns * row_count);
  Guarded<Value> values(row_count * padded), slopes(row_count * padded), shift(bias);
  Guarded<float> keep_by_columns(columns * row_count), keep(row_count * keep_stride + padding);
  for (std::int64_t row = 0; row < row_count; ++row)
    for (std::int64_t column = 0; column < padded; ++column) {
      const bool inside = column < columns;
      values.data()[row * padded + column] = inside ? inputs[at(column * row_count + row)] : Value{0};
      if (!inside) continue;
      const float kept = (row + column) % 4 == 1 ? 0.0f : 1.0f;
      keep.data()[row * keep_stride + column] = keep_by_columns.data()[column * row_count + row] = kept;
    }
  const ActivationKernels<Value> kernels = activation_kernels<Value>();
  kernels.activate(kind, with_bias ? bias.data() : nullptr, with_keep ? keep_by_columns.data() : nullptr, keep_scale,
                   columns, row_count, by_columns.data(), slopes_by_columns.data());
  kernels.activate_rows(kind, with_bias ? shift.data() : nullptr, with_keep ? keep.data() : nullptr, keep_stride,
                        keep_scale, columns, row_count, values.data(), with_derivative ? slopes.data() : nullptr);
  INFO("activation " << static_cast<int>(kind) << ", " << columns << " columns, bias " << with_bias << ", keep "
                     << with_keep);
  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < row_count; ++row)
    for (std::int64_t column = 0; column < padded; ++column) {
      const std::int64_t index = row * padded + column, other = column * row_count + row;
      const bool inside = column < columns;
      wrong += values[index] != (inside ? by_columns[other] : Value{0});
      wrong += with_derivative && inside && slopes[index] != slopes_by_columns[other];
    }
  CHECK(wrong == 0);
  CHECK(values.intact());
  CHECK(slopes.intact());
}

template <class Value>
void check_activations() {
  for (const ActivationRow& row : activation_table)
    for (const bool with_bias : {false, true})
      for (const bool with_keep : {false, true})
        for (const bool with_derivative : {false, true}) {
          check_activate<Value>(row.kind, with_bias, with_keep, with_derivative);
          for (const std::int64_t columns : {15, 16, 31, 64})
            check_activate_rows<Value>(row.kind, columns, with_bias, with_keep, with_derivative);
        }
}

// NaN must be preserved, so that a diverged model does not look like a finished one.
template <class Value>
void check_not_a_number(Activation kind) {
  std::vector<Value> inputs(16, 1);
  inputs[5] = std::numeric_limits<Value>::quiet_NaN();
  Guarded<Value> values(inputs);
  activation_kernels<Value>().activate(kind, nullptr, nullptr, 1, 1, 16, values.data(), nullptr);
  INFO("activation " << static_cast<int>(kind));
  for (std::int64_t row = 0; row < 16; ++row) CHECK(std::isnan(values[row]) == (row == 5));
}

template <class Value>
void check_finish_gradient(std::int64_t row_count, bool accumulate) {
  constexpr std::int64_t columns = 5;
  const auto before = normals<Value>(columns * row_count, 6), sums_before = normals<Value>(columns, 7);
  Guarded<Value> gradients(before), derivative(normals<Value>(columns * row_count, 8)), sums(sums_before);
  std::vector<Value> right = before;
  std::vector<double> right_sums(columns);
  for (std::int64_t column = 0; column < columns; ++column) {
    right_sums[at(column)] = accumulate ? static_cast<double>(sums_before[at(column)]) : 0;
    for (std::int64_t index = column * row_count; index < (column + 1) * row_count; ++index) {
      right[at(index)] *= derivative[index];
      right_sums[at(column)] += static_cast<double>(right[at(index)]);
    }
  }
  activation_kernels<Value>().finish_gradient(derivative.data(), columns, row_count, accumulate, gradients.data(),
                                              sums.data());
  INFO(row_count << " rows, accumulate " << accumulate);
  CHECK(gradients.values() == right);
  CHECK(distance(sums.values(), right_sums) < sum_tolerance<Value>());
  CHECK(gradients.intact());
  CHECK(sums.intact());
}

template <class Value>
void check_finish_gradient_rows(std::int64_t columns, std::int64_t row_count, bool accumulate) {
  const auto before = normals<Value>(columns * row_count, 6), sums_before = normals<Value>(columns, 7);
  Guarded<Value> gradients(before), derivative(normals<Value>(columns * row_count, 8)), sums(sums_before);
  std::vector<Value> right = before;
  std::vector<double> right_sums(at(columns), 0);
  if (accumulate) std::copy(sums_before.begin(), sums_before.end(), right_sums.begin());
  for (std::int64_t index = 0; index < columns * row_count; ++index) {
    right[at(index)] *= derivative[index];
    right_sums[at(index % columns)] += static_cast<double>(right[at(index)]);
  }
  activation_kernels<Value>().finish_gradient_rows(derivative.data(), columns, row_count, accumulate, gradients.data(),
                                                   sums.data());
  INFO(columns << " columns, " << row_count << " rows, accumulate " << accumulate);
  CHECK(gradients.values() == right);
  CHECK(distance(sums.values(), right_sums) < sum_tolerance<Value>());
  CHECK(gradients.intact());
  CHECK(sums.intact());
}

template <class Value>
void check_combine_columns(std::int64_t column_count, std::int64_t row_count, std::int64_t outputs, bool accumulate) {
  const std::int64_t stride = column_count + 3;
  Guarded<Value> columns(normals<Value>(column_count * row_count, 9)), weights(normals<Value>(outputs * stride, 10));
  Guarded<Value> results(normals<Value>(outputs * row_count, 11));
  const auto before = results.values();
  std::vector<double> right(before.begin(), before.end());
  for (std::int64_t output = 0; output < outputs; ++output) {
    for (std::int64_t row = 0; row < row_count; ++row) {
      double& sum = right[at(output * row_count + row)];
      if (!accumulate) sum = 0;
      for (std::int64_t column = 0; column < column_count; ++column)
        sum += static_cast<double>(columns[column * row_count + row]) *
               static_cast<double>(weights[output * stride + column]);
    }
  }
  activation_kernels<Value>().combine_columns(columns.data(), column_count, row_count, weights.data(), stride, outputs,
                                              accumulate, results.data());
  INFO(column_count << " columns, " << row_count << " rows, " << outputs << " outputs, accumulate " << accumulate);
  CHECK(distance(results.values(), right) < sum_tolerance<Value>());
  CHECK(results.intact());
}

template <class Value>
void check_dot_columns(std::int64_t column_count, std::int64_t row_count, std::int64_t outputs, bool accumulate) {
  const std::int64_t stride = column_count + 3;
  Guarded<Value> columns(normals<Value>(column_count * row_count, 9));
  Guarded<Value> gradients(normals<Value>(outputs * row_count, 10)), sums(normals<Value>(outputs * stride, 11));
  const auto before = sums.values();
  std::vector<double> right(before.begin(), before.end());
  for (std::int64_t output = 0; output < outputs; ++output) {
    for (std::int64_t column = 0; column < column_count; ++column) {
      double& sum = right[at(output * stride + column)];
      if (!accumulate) sum = 0;
      for (std::int64_t row = 0; row < row_count; ++row)
        sum += static_cast<double>(columns[column * row_count + row]) *
               static_cast<double>(gradients[output * row_count + row]);
    }
  }
  activation_kernels<Value>().dot_columns(columns.data(), column_count, row_count, gradients.data(), outputs,
                                          accumulate, sums.data(), stride);
  INFO(column_count << " columns, " << row_count << " rows, " << outputs << " outputs, accumulate " << accumulate);
  CHECK(distance(sums.values(), right) < sum_tolerance<Value>());
  for (std::int64_t output = 0; output < outputs; ++output)  // memory between the sums of the outputs
    for (std::int64_t column = column_count; column < stride; ++column)
      CHECK(sums[output * stride + column] == before[at(output * stride + column)]);
  CHECK(sums.intact());
}

template <class Value>
void check_sums() {
  for (const std::int64_t row_count : {16, 32, 48, 128, 144}) {
    for (const bool accumulate : {false, true}) {
      check_finish_gradient<Value>(row_count, accumulate);
      for (const std::int64_t columns : {16, 48, 64}) check_finish_gradient_rows<Value>(columns, row_count, accumulate);
      for (const std::int64_t column_count : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 64})
        for (const std::int64_t outputs : {1, 2, 3}) {
          check_combine_columns<Value>(column_count, row_count, outputs, accumulate);
          check_dot_columns<Value>(column_count, row_count, outputs, accumulate);
        }
    }
  }
}

}  // namespace

TEST_CASE("activations and derivatives agree with the C library's functions, also for large inputs") {
  on_every_target([] {
    check_activations<float>();
    check_activations<double>();
  });
}

TEST_CASE("activations preserve NaN") {
  on_every_target([] {
    for (const ActivationRow& row : activation_table) {
      check_not_a_number<float>(row.kind);
      check_not_a_number<double>(row.kind);
    }
  });
}

TEST_CASE("gradient sums and the products of narrow layers equal their definitions") {
  on_every_target([] {
    check_sums<float>();
    check_sums<double>();
  });
}
