// SPDX-License-Identifier: MIT
#include "training/metrics/r2.hpp"

#include <algorithm>

namespace sheaf {
namespace {

class R2Accumulator : public Accumulator {
  // Places in the numbers: the number of rows, then for each output the mean of its targets, their squares about it,
  // and the squared residuals, both summed.
  enum Place : std::size_t { row_count, first_output };
  enum OutputPlace : std::size_t { mean, squares, residuals, per_output };

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
  }

  // Source: Chan, Golub and LeVeque, The American Statistician 1983.
  void append(const Accumulator& later) override {
    const double rows = numbers_[row_count], more = later.numbers()[row_count];
    if (more == 0) return;
    for (std::size_t place = first_output; place < numbers_.size(); place += per_output) {
      double* sums = numbers_.data() + place;
      const double* others = later.numbers().data() + place;
      const double distance = others[mean] - sums[mean];
      sums[mean] += distance * more / (rows + more);
      sums[squares] += others[squares] + distance * distance * rows * more / (rows + more);
      sums[residuals] += others[residuals];
    }
    numbers_[row_count] += more;
  }

  double value() const override {
    double sum = 0;
    for (std::size_t place = first_output; place < numbers_.size(); place += per_output) {
      const double total = numbers_[place + squares], residual = numbers_[place + residuals];
      if (total == 0)
        sum += residual == 0 ? 1 : 0;
      else
        sum += 1 - residual / total;
    }
    return sum / static_cast<double>(output_count_);
  }

 private:
  // Outputs first..first+width-1, whose numbers are in registers meanwhile. Mean and squares about it are updated row
  // by row, which is accurate also where the mean is large. Source: Welford, Technometrics 1962.
  template <std::int64_t width>
  void add_outputs(const ScoredRows& rows, std::int64_t first) {
    double* const numbers = numbers_.data() + first_output + first * static_cast<std::int64_t>(per_output);
    double sums[width * per_output];
    std::copy_n(numbers, width * per_output, sums);
    const float *outputs = rows.outputs + first, *targets = rows.targets + first;
    double count = numbers_[row_count];
    for (std::int64_t row = 0; row < rows.count; ++row, outputs += output_count_, targets += output_count_) {
      count += 1;
      const double weight = 1 / count;
      for (std::int64_t output = 0; output < width; ++output) {
        double* const of_output = sums + output * static_cast<std::int64_t>(per_output);
        const double target = double{targets[output]};
        const double residual = target - double{outputs[output]};
        const double distance = target - of_output[mean];
        of_output[mean] += distance * weight;
        of_output[squares] += distance * (target - of_output[mean]);
        of_output[residuals] += residual * residual;
      }
    }
    std::copy_n(sums, width * per_output, numbers);
  }

  std::int64_t output_count_;
};

}  // namespace

Metric r2() {
  return {"r2", "R2", Task::regression, true, [](std::int64_t output_count) -> std::unique_ptr<Accumulator> {
            return std::make_unique<R2Accumulator>(output_count);
          }};
}

}  // namespace sheaf
