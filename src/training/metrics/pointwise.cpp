// SPDX-License-Identifier: MIT
#include "training/metrics/pointwise.hpp"

#include <cmath>
#include <stdexcept>

#include "training/metrics/r2.hpp"

namespace sheaf {
namespace {

// The value of one row. A metric is a functor like these and a case in make_pointwise().
struct Accuracy {
  double operator()(const Scoring&, const ScoredRows& rows, std::int64_t row) const {
    return rows.predicted_labels[row] == rows.labels[row] ? 1 : 0;
  }
};

struct LogLoss {
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    return -label_log_probability(scoring, rows.outputs + row * scoring.output_count, rows.labels[row]);
  }
};

struct AbsoluteError {  // the mean over the outputs
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    double sum = 0;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      sum += std::abs(double{rows.targets[index]} - double{rows.outputs[index]});
    return sum / static_cast<double>(width);
  }
};

// The weighted mean of the values of all rows.
template <class Value>
class Mean : public Accumulator {
  enum Index : std::size_t { weights, values, number_count };  // of `numbers_`

 public:
  explicit Mean(const Scoring& scoring) : Accumulator(number_count), scoring_(scoring) {}

  void add(const ScoredRows& rows) override {
    double weight_sum = numbers_[weights], sum = numbers_[values];
    if (rows.weights == nullptr) {
      for (std::int64_t row = 0; row < rows.count; ++row) sum += value_(scoring_, rows, row);
      weight_sum += static_cast<double>(rows.count);
    } else {
      for (std::int64_t row = 0; row < rows.count; ++row) {
        sum += rows.weight(row) * value_(scoring_, rows, row);
        weight_sum += rows.weight(row);
      }
    }
    numbers_ = {weight_sum, sum};
  }

  void append(const Accumulator& later) override {
    for (std::size_t index = 0; index < number_count; ++index) numbers_[index] += later.numbers()[index];
  }

  double value() const override { return numbers_[values] / numbers_[weights]; }

 private:
  Scoring scoring_;
  Value value_;
};

}  // namespace

std::unique_ptr<Accumulator> make_pointwise(MetricKind metric, const Scoring& scoring) {
  switch (metric) {
    case MetricKind::accuracy:
      return std::make_unique<Mean<Accuracy>>(scoring);
    case MetricKind::log_loss:
      return std::make_unique<Mean<LogLoss>>(scoring);
    case MetricKind::mae:
      return std::make_unique<Mean<AbsoluteError>>(scoring);
    case MetricKind::r2:
      return make_r2(scoring.output_count);
    default:
      throw std::logic_error("the metric is not pointwise");
  }
}

}  // namespace sheaf
