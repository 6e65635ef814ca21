// SPDX-License-Identifier: MIT
#include "training/metrics/explained_variance.hpp"

#include <limits>

#include "study/metrics.hpp"
#include "training/metrics/r2.hpp"

namespace sheaf {
namespace {

// The mean of a value and the sum of its squared deviations from it, updated row by row, which is accurate even if the
// mean is large. Sources: West, Communications of the ACM 1979; to join two: Chan, Golub and LeVeque, The American
// Statistician 1983.
struct Moments {
  double mean = 0, squares = 0;

  // `share`: the weight of the value divided by the sum of all weights, including its own.
  void add(double value, double weight, double share) {
    const double distance = value - mean;
    mean += distance * share;
    squares += weight * distance * (value - mean);
  }

  // `before` and `more`: the sums of the weights of these and of the other rows.
  void join(const Moments& other, double before, double more) {
    const double distance = other.mean - mean;
    mean += distance * more / (before + more);
    squares += other.squares + distance * distance * before * more / (before + more);
  }
};

class ExplainedVariance : public Accumulator {
  // Indices of `numbers_`: the number of rows and the sum of their weights; then for each output the moments of the
  // targets and of the residuals.
  enum Index : std::size_t { row_count, weights, first_output };
  enum OutputIndex : std::size_t { target_mean, target_squares, residual_mean, residual_squares, per_output };

 public:
  explicit ExplainedVariance(std::int64_t output_count)
      : Accumulator(first_output + per_output * static_cast<std::size_t>(output_count)), output_count_(output_count) {}

  void add(const ScoredRows& rows) override {
    numbers_[row_count] += static_cast<double>(rows.count);
    for (std::int64_t row = 0; row < rows.count; ++row) {
      const double weight = rows.weight(row);
      if (weight == 0) continue;
      numbers_[weights] += weight;
      const double share = weight / numbers_[weights];
      double* sums = numbers_.data() + first_output;
      for (std::int64_t index = row * output_count_; index < (row + 1) * output_count_; ++index, sums += per_output) {
        const double target = double{rows.targets[index]};
        Moments targets = moments(sums + target_mean), residuals = moments(sums + residual_mean);
        targets.add(target, weight, share);
        residuals.add(target - double{rows.outputs[index]}, weight, share);
        store(targets, sums + target_mean);
        store(residuals, sums + residual_mean);
      }
    }
  }

  void append(const Accumulator& later) override {
    const double before = numbers_[weights], more = later.numbers()[weights];
    numbers_[row_count] += later.numbers()[row_count];
    if (more == 0) return;
    numbers_[weights] += more;
    for (std::size_t index = first_output; index < numbers_.size(); index += 2) {
      Moments joined = moments(numbers_.data() + index);
      joined.join(moments(later.numbers().data() + index), before, more);
      store(joined, numbers_.data() + index);
    }
  }

  double value() const override {
    if (numbers_[row_count] < static_cast<double>(metric_of(MetricKind::explained_variance).min_rows))
      return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (std::size_t index = first_output; index < numbers_.size(); index += per_output)
      sum += explained_share(numbers_[index + residual_squares], numbers_[index + target_squares]);
    return sum / static_cast<double>(output_count_);
  }

 private:
  static Moments moments(const double* numbers) { return {numbers[0], numbers[1]}; }
  static void store(const Moments& moments, double* numbers) {
    numbers[0] = moments.mean;
    numbers[1] = moments.squares;
  }

  std::int64_t output_count_;
};

}  // namespace

std::unique_ptr<Accumulator> make_explained_variance(std::int64_t output_count) {
  return std::make_unique<ExplainedVariance>(output_count);
}

}  // namespace sheaf
