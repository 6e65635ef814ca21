// SPDX-License-Identifier: MIT
#include "training/metrics/r2.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "study/metrics.hpp"

namespace sheaf {
namespace {

class R2Accumulator : public Accumulator {
  // Indices of `numbers_`: the number of rows and the sum of their weights; then for each output the mean of the
  // targets, the sum of their squared deviations from it, and the sum of the squared residuals.
  enum Index : std::size_t { row_count, weights, first_output };
  enum OutputIndex : std::size_t { mean, squares, residuals, per_output };

 public:
  explicit R2Accumulator(std::int64_t output_count)
      : Accumulator(first_output + per_output * static_cast<std::size_t>(output_count)), output_count_(output_count) {}

  void add(const ScoredRows& rows) override {
    std::int64_t output = 0;
    for (; output + 4 <= output_count_; output += 4) add_outputs<4>(rows, output);
    const std::int64_t rest = output_count_ - output;
    if (rest == 3) add_outputs<3>(rows, output);
    if (rest == 2) add_outputs<2>(rows, output);
    if (rest == 1) add_outputs<1>(rows, output);
    numbers_[row_count] += static_cast<double>(rows.count);
    if (rows.weights == nullptr) numbers_[weights] += static_cast<double>(rows.count);
    for (std::int64_t row = 0; rows.weights != nullptr && row < rows.count; ++row)
      numbers_[weights] += rows.weight(row);
  }

  // Source: Chan, Golub and LeVeque, The American Statistician 1983.
  void append(const Accumulator& later) override {
    const double before = numbers_[weights], more = later.numbers()[weights];
    numbers_[row_count] += later.numbers()[row_count];
    if (more == 0) return;
    for (std::size_t index = first_output; index < numbers_.size(); index += per_output) {
      double* sums = numbers_.data() + index;
      const double* others = later.numbers().data() + index;
      const double distance = others[mean] - sums[mean];
      sums[mean] += distance * more / (before + more);
      sums[squares] += others[squares] + distance * distance * before * more / (before + more);
      sums[residuals] += others[residuals];
    }
    numbers_[weights] += more;
  }

  double value() const override {
    if (numbers_[row_count] < static_cast<double>(metric_of(MetricKind::r2).min_rows))
      return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::size_t index = first_output; index < numbers_.size(); index += per_output)
      sum += explained_share(numbers_[index + residuals], numbers_[index + squares]);
    return sum / static_cast<double>(output_count_);
  }

 private:
  template <std::int64_t width>
  void add_outputs(const ScoredRows& rows, std::int64_t first) {
    if (rows.weights == nullptr)
      add_outputs<width>(rows, first, [](std::int64_t) { return 1.0; });
    else
      add_outputs<width>(rows, first, [&rows](std::int64_t row) { return rows.weight(row); });
  }

  // Adds outputs first..first+width-1, whose sums stay in registers. The mean and the squared deviations are updated
  // row by row, which is accurate even if the mean is large. Sources: Welford, Technometrics 1962; with weights: West,
  // Communications of the ACM 1979.
  template <std::int64_t width, class Weight>
  void add_outputs(const ScoredRows& rows, std::int64_t first, const Weight& weight_of) {
    double* const numbers = numbers_.data() + first_output + first * static_cast<std::int64_t>(per_output);
    double sums[width * per_output];
    std::copy_n(numbers, width * per_output, sums);
    const float *outputs = rows.outputs + first, *targets = rows.targets + first;
    double weight_sum = numbers_[weights];
    for (std::int64_t row = 0; row < rows.count; ++row, outputs += output_count_, targets += output_count_) {
      const double weight = weight_of(row);
      if (weight == 0) continue;
      weight_sum += weight;
      const double share = weight / weight_sum;
      for (std::int64_t output = 0; output < width; ++output) {
        double* const output_sums = sums + output * static_cast<std::int64_t>(per_output);
        const double target = double{targets[output]};
        const double residual = target - double{outputs[output]};
        const double distance = target - output_sums[mean];
        output_sums[mean] += distance * share;
        output_sums[squares] += weight * distance * (target - output_sums[mean]);
        output_sums[residuals] += weight * residual * residual;
      }
    }
    std::copy_n(sums, width * per_output, numbers);
  }

  std::int64_t output_count_;
};

}  // namespace

double explained_share(double residual, double total) {
  if (total == 0) return residual == 0 ? 1 : 0;
  return 1 - residual / total;
}

std::unique_ptr<Accumulator> make_r2(std::int64_t output_count) {
  return std::make_unique<R2Accumulator>(output_count);
}

}  // namespace sheaf
