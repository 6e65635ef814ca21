// Compares losses and their gradients on every instruction set of this processor with simple loops in double.
// SPDX-License-Identifier: MIT
#include "engines/native/kernels/kernels.hpp"

#include <cmath>
#include <limits>

#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr double delta = 0.75;  // of huber
constexpr double quantile = 0.3;

// A batch with some large logits, sample weights, some of them zero, and padding.
template <class Value>
struct Batch {
  std::int64_t output_count, row_count;
  std::vector<Value> outputs, labels, targets, weights, bias;

  Batch(LossKind kind, std::int64_t outputs_, std::int64_t rows_) : output_count(outputs_), row_count(rows_) {
    outputs = normals<Value>(output_count * row_count, 12, 3);
    targets = normals<Value>(output_count * row_count, 13);
    bias = normals<Value>(output_count, 14);
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      if (index % 7 == 3) outputs[index] = index % 2 == 0 ? 50 : -50;
      if (kind == LossKind::poisson) {
        outputs[index] = index % 7 == 3 ? (index % 2 == 0 ? 7 : -50) : outputs[index];
        targets[index] = std::abs(targets[index]);
      }
      if (kind == LossKind::bce) targets[index] = static_cast<Value>(index % 5) / 4;
    }
    for (std::int64_t row = 0; row < row_count; ++row) {
      labels.push_back(static_cast<Value>((row * 5 + 1) % output_count));
      weights.push_back(row % 6 == 2 || row >= row_count - 3 ? 0 : static_cast<Value>(row % 4 + 1) / 2);
    }
  }

  double logit(std::int64_t output, std::int64_t row, bool with_bias) const {
    const Value plain = outputs[at(output * row_count + row)];
    return static_cast<double>(with_bias ? plain + bias[at(output)] : plain);
  }
};

// The loss of a row by its definition. Stores its derivatives by the outputs in `slopes`.
template <class Value>
double row_loss(LossKind kind, const Batch<Value>& batch, std::int64_t row, bool with_bias, std::vector<double>& slopes,
                double smoothing = 0) {
  double loss = 0, powers = 0;
  const auto label = static_cast<std::int64_t>(batch.labels[at(row)]);
  slopes.clear();
  for (std::int64_t output = 0; output < batch.output_count; ++output)
    powers += std::exp(batch.logit(output, row, with_bias));
  for (std::int64_t output = 0; output < batch.output_count; ++output) {
    const double z = batch.logit(output, row, with_bias);
    const auto y = static_cast<double>(batch.targets[at(output * batch.row_count + row)]);
    if (kind == LossKind::mse) {
      loss += (z - y) * (z - y);
      slopes.push_back(2 * (z - y));
    } else if (kind == LossKind::mae) {
      loss += std::abs(z - y);
      slopes.push_back(z < y ? -1 : z > y ? 1 : 0);
    } else if (kind == LossKind::huber) {
      const double size = std::abs(z - y);
      loss += size <= delta ? size * size / 2 : delta * (size - delta / 2);
      slopes.push_back(size <= delta ? z - y : z < y ? -delta : delta);
    } else if (kind == LossKind::quantile) {
      loss += y < z ? (1 - quantile) * (z - y) : quantile * (y - z);
      slopes.push_back(y < z ? 1 - quantile : -quantile);
    } else if (kind == LossKind::poisson) {
      loss += std::exp(z) - y * z;
      slopes.push_back(std::exp(z) - y);
    } else if (kind == LossKind::bce) {
      loss += y * std::log1p(std::exp(-z)) + (1 - y) * std::log1p(std::exp(z));
      slopes.push_back(1 / (1 + std::exp(-z)) - y);
    } else {
      const double target = (output == label ? 1 - smoothing : 0) + smoothing / static_cast<double>(batch.output_count);
      loss += target * (std::log(powers) - z);
      slopes.push_back(std::exp(z) / powers - target);
    }
  }
  return loss;
}

template <class Value>
void check_loss(LossKind kind, std::int64_t output_count, std::int64_t row_count, bool with_bias, bool with_gradients,
                bool accumulate, double smoothing = 0) {
  constexpr double scale = 0.125;
  const Batch<Value> batch(kind, output_count, row_count);
  double right_sum = 0;
  const auto sums_before = normals<Value>(output_count, 15);
  std::vector<double> right_sums(at(output_count));
  if (accumulate) right_sums.assign(sums_before.begin(), sums_before.end());
  std::vector<double> right_outputs(batch.outputs.size()), right_gradients(batch.outputs.size()), slopes;
  for (std::int64_t row = 0; row < row_count; ++row) {
    const auto weight = static_cast<double>(batch.weights[at(row)]);
    right_sum += weight * row_loss(kind, batch, row, with_bias, slopes, smoothing);
    for (std::int64_t output = 0; output < output_count; ++output) {
      right_outputs[at(output * row_count + row)] = batch.logit(output, row, with_bias);
      right_gradients[at(output * row_count + row)] = scale * weight * slopes[at(output)];
      right_sums[at(output)] += scale * weight * slopes[at(output)];
    }
  }

  Guarded<Value> outputs(batch.outputs), gradients(output_count * row_count);
  Guarded<Value> labels(batch.labels), targets(batch.targets), weights(batch.weights), sums(sums_before);
  const double sum = loss_kernels<Value>().loss(
      {kind, delta, quantile}, with_bias ? batch.bias.data() : nullptr,
      {labels.data(), targets.data(), weights.data(), smoothing}, scale, output_count, row_count, accumulate,
      outputs.data(), with_gradients ? gradients.data() : nullptr, with_gradients ? sums.data() : nullptr);
  INFO("loss " << static_cast<int>(kind) << ", " << output_count << " outputs, " << row_count << " rows");
  CHECK(distance<double>({sum}, {right_sum}) < pick<Value>(1e-6, 1e-14));
  CHECK(distance(outputs.values(), right_outputs) == 0);
  // For single values, exp and log are accurate to one or two roundings.
  if (with_gradients) CHECK(distance(gradients.values(), right_gradients) < pick<Value>(5e-7, 1e-15));
  // Logits of 50 give terms of size 10.
  if (with_gradients) CHECK(distance(sums.values(), right_sums) < 10 * sum_tolerance<Value>());
  CHECK(outputs.intact());
  CHECK(gradients.intact());
  CHECK(sums.intact());
}

template <class Value>
void check_losses() {
  for (const Loss& loss : loss_table)
    for (const std::int64_t output_count : {1, 2, 10, 17})
      for (const std::int64_t row_count : {16, 32, 80})
        for (const bool with_bias : {false, true})
          for (const bool with_gradients : {false, true})
            for (const bool accumulate : {false, true}) {
              check_loss<Value>(loss.kind, output_count, row_count, with_bias, with_gradients, accumulate);
              if (loss.targets == LossTargets::labels)
                check_loss<Value>(loss.kind, output_count, row_count, with_bias, with_gradients, accumulate, 0.25);
            }
}

template <class Value>
void check_linear_loss(LossKind kind, std::int64_t column_count, std::int64_t output_count, std::int64_t row_count,
                       bool with_bias, bool accumulate) {
  constexpr double scale = 0.125;
  const std::int64_t stride = column_count + 2;
  const Batch<Value> batch(kind, output_count, row_count);
  const auto inputs = normals<Value>(column_count * row_count, 16);
  auto weights = normals<Value>(output_count * stride, 17);
  if (kind == LossKind::poisson)  // exp() multiplies the errors of large sums
    for (Value& weight : weights) weight /= 8;
  const auto weights_before = normals<Value>(output_count * stride, 18), bias_before = normals<Value>(output_count, 19);

  Batch<double> right(kind, output_count, row_count);
  right.targets = doubles(batch.targets);
  right.weights = doubles(batch.weights);
  right.bias = doubles(batch.bias);
  auto right_weights = doubles(weights_before), right_bias = doubles(bias_before);
  for (std::int64_t output = 0; output < output_count && !accumulate; ++output) {
    right_bias[at(output)] = 0;
    for (std::int64_t column = 0; column < column_count; ++column) right_weights[at(output * stride + column)] = 0;
  }
  double right_sum = 0;
  std::vector<double> slopes;
  for (std::int64_t row = 0; row < row_count; ++row) {
    const auto input = [&](std::int64_t column) { return static_cast<double>(inputs[at(column * row_count + row)]); };
    for (std::int64_t output = 0; output < output_count; ++output) {
      double& logit = right.outputs[at(output * row_count + row)];
      logit = 0;
      for (std::int64_t column = 0; column < column_count; ++column)
        logit += input(column) * static_cast<double>(weights[at(output * stride + column)]);
    }
    const double weight = right.weights[at(row)];
    right_sum += weight * row_loss(kind, right, row, with_bias, slopes);
    for (std::int64_t output = 0; output < output_count; ++output) {
      const double gradient = scale * weight * slopes[at(output)];
      right_bias[at(output)] += gradient;
      for (std::int64_t column = 0; column < column_count; ++column)
        right_weights[at(output * stride + column)] += gradient * input(column);
    }
  }

  Guarded<Value> columns(inputs), targets(batch.targets), row_weights(batch.weights);
  Guarded<Value> weight_sums(weights_before), bias_sums(bias_before);
  const double sum = linear_kernels<Value>().loss(
      {kind, delta, quantile},
      {columns.data(), column_count, output_count, weights.data(), stride, with_bias ? batch.bias.data() : nullptr},
      {nullptr, targets.data(), row_weights.data()}, scale, row_count, accumulate, weight_sums.data(),
      bias_sums.data());
  INFO("loss " << static_cast<int>(kind) << ", " << column_count << " inputs, " << output_count << " outputs, "
               << row_count << " rows");
  CHECK(distance<double>({sum}, {right_sum}) < pick<Value>(1e-6, 1e-14));
  // Both the outputs and the factors in the gradients' sums are sums.
  CHECK(distance(weight_sums.values(), right_weights) < 10 * sum_tolerance<Value>());
  CHECK(distance(bias_sums.values(), right_bias) < 10 * sum_tolerance<Value>());
  CHECK(weight_sums.intact());
  CHECK(bias_sums.intact());
}

template <class Value>
void check_linear_losses() {
  for (const Loss& loss : loss_table) {
    if (!loss.is_per_output()) continue;
    for (const std::int64_t column_count : {1, 2, 7, 10, 11, 64})
      for (const std::int64_t output_count : {1, 3})
        for (const std::int64_t row_count : {16, 64, 144})
          for (const bool with_bias : {false, true})
            for (const bool accumulate : {false, true})
              check_linear_loss<Value>(loss.kind, column_count, output_count, row_count, with_bias, accumulate);
  }
}

// Checks that the loss is NaN if any single logit is NaN.
template <class Value>
void check_loss_of_not_a_number(LossKind kind) {
  constexpr std::int64_t output_count = 3, row_count = 16;
  for (std::int64_t index = 0; index < output_count * row_count; ++index) {
    Batch<Value> batch(kind, output_count, row_count);
    batch.outputs[at(index)] = std::numeric_limits<Value>::quiet_NaN();
    Guarded<Value> outputs(batch.outputs), labels(batch.labels), targets(batch.targets);
    Guarded<Value> weights(std::vector<Value>(at(row_count), 1));
    INFO("loss " << static_cast<int>(kind) << ", index " << index);
    CHECK(std::isnan(loss_kernels<Value>().loss({kind, delta, quantile}, nullptr,
                                                {labels.data(), targets.data(), weights.data()}, 1, output_count,
                                                row_count, false, outputs.data(), nullptr, nullptr)));
  }
}

// Checks exponentials of outputs over the whole range of the numbers, and beyond it.
template <class Value>
void check_exponentials() {
  constexpr std::int64_t row_count = 16384;
  std::vector<Value> logs(at(row_count));
  const double largest = pick<Value>(88.6, 699.0), smallest = pick<Value>(-87.0, -700.0);
  for (std::int64_t row = 0; row < row_count; ++row)
    logs[at(row)] = static_cast<Value>(smallest + (largest - smallest) * static_cast<double>(row) / row_count);
  logs[1] = static_cast<Value>(pick<Value>(89, 701)), logs[2] = static_cast<Value>(pick<Value>(1e30, 1e300));
  logs[3] = std::numeric_limits<Value>::infinity(), logs[4] = -logs[3];
  Guarded<Value> outputs(logs), gradients(row_count), targets(std::vector<Value>(at(row_count)));
  Guarded<Value> weights(std::vector<Value>(at(row_count), 1)), sums(std::vector<Value>(1));
  loss_kernels<Value>().loss(LossKind::poisson, nullptr, {nullptr, targets.data(), weights.data()}, 1, 1, row_count,
                             false, outputs.data(), gradients.data(), sums.data());
  for (const std::int64_t row : {1, 2, 3}) CHECK(std::isinf(gradients[row]));
  CHECK(gradients[4] == 0);
  std::vector<double> ratios;
  for (std::int64_t row = 5; row < row_count; ++row)
    ratios.push_back(static_cast<double>(gradients[row]) / std::exp(static_cast<double>(logs[at(row)])));
  CHECK(distance(ratios, std::vector<double>(ratios.size(), 1.0)) < pick<Value>(3e-7, 1e-15));
}

// Checks two classes with logits 0 and x, for all x down to -128 and for infinity.
template <class Value>
void check_probabilities() {
  constexpr std::int64_t row_count = 16384;
  Guarded<Value> outputs(std::vector<Value>(at(2 * row_count))), gradients(2 * row_count);
  for (std::int64_t row = 1; row < row_count; ++row) outputs.data()[row_count + row] = static_cast<Value>(row) / -128;
  outputs.data()[row_count] = -std::numeric_limits<Value>::infinity();
  const std::vector<Value> logits = outputs.values();
  Guarded<Value> labels(std::vector<Value>(at(row_count))), weights(std::vector<Value>(at(row_count), 1));
  Guarded<Value> sums(std::vector<Value>(2));
  loss_kernels<Value>().loss(LossKind::cross_entropy, nullptr, {labels.data(), nullptr, weights.data()}, 1, 2,
                             row_count, false, outputs.data(), gradients.data(), sums.data());
  std::vector<double> ratios, rest;
  for (std::int64_t row = 0; row < row_count; ++row) {
    const double power = std::exp(static_cast<double>(logits[at(row_count + row)]));
    const auto probability = static_cast<double>(gradients[row_count + row]);
    if (power > 2e-38)
      ratios.push_back(probability / (power / (1 + power)));
    else
      rest.push_back(probability);
  }
  CHECK(distance(ratios, std::vector<double>(ratios.size(), 1.0)) < pick<Value>(3e-7, 1e-15));
  CHECK(distance(rest, std::vector<double>(rest.size())) < 2e-38);
}

}  // namespace

TEST_CASE("losses and gradients equal their definitions, also for large logits") {
  on_every_target([] {
    check_losses<float>();
    check_losses<double>();
  });
}

TEST_CASE("small probabilities have the same relative accuracy as large ones, and underflow to almost zero") {
  on_every_target([] {
    check_probabilities<float>();
    check_probabilities<double>();
  });
}

TEST_CASE("means of poisson have the same relative accuracy at all sizes, and overflow to infinity") {
  on_every_target([] {
    check_exponentials<float>();
    check_exponentials<double>();
  });
}

TEST_CASE("the loss and gradients of a linear layer equal their definitions") {
  on_every_target([] {
    check_linear_losses<float>();
    check_linear_losses<double>();
  });
}

TEST_CASE("the loss of NaN is NaN") {
  on_every_target([] {
    for (const Loss& loss : loss_table) {
      check_loss_of_not_a_number<float>(loss.kind);
      check_loss_of_not_a_number<double>(loss.kind);
    }
  });
}
