// SPDX-License-Identifier: MIT
#include "training/metrics/pointwise_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "training/metrics/explained_variance.hpp"
#include "training/metrics/r2.hpp"

namespace sheaf {
namespace {

// The value of one row. A metric is a functor like these and a case in make_pointwise().
struct Accuracy {
  double operator()(const Scoring&, const ScoredRows& rows, std::int64_t row) const {
    return rows.predicted_labels[row] == rows.labels[row] ? 1 : 0;
  }
};

// Whether all labels are predicted right.
struct SubsetAccuracy {
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      if ((rows.predicted_labels[index] != 0) != (rows.targets[index] != 0)) return 0;
    return 1;
  }
};

// The share of the labels that are predicted wrong.
struct HammingLoss {
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    std::int64_t wrong = 0;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      wrong += std::int64_t{(rows.predicted_labels[index] != 0) != (rows.targets[index] != 0)};
    return static_cast<double>(wrong) / static_cast<double>(width);
  }
};

struct LogLossOfLabels {  // the mean over the labels
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    double sum = 0;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      sum -= binary_log_probability(scoring, rows.outputs[index], rows.targets[index] != 0);
    return sum / static_cast<double>(width);
  }
};

struct BrierOfLabels {  // the mean over the labels
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    const double* const probabilities = rows.probabilities->of(row);
    double sum = 0;
    for (std::int64_t label = 0; label < width; ++label) {
      const double error = probabilities[label] - double{rows.targets[row * width + label]};
      sum += error * error;
    }
    return sum / static_cast<double>(width);
  }
};

struct LogLoss {
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    return -label_log_probability(scoring, rows.outputs + row * scoring.output_count, rows.probabilities->scale(row),
                                  rows.labels[row]);
  }
};

// Whether fewer than `count` classes rank before the label. Equal outputs rank as in scikit-learn: later classes first.
struct TopAccuracy {
  std::int64_t count;

  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const float* const outputs = rows.outputs + row * scoring.output_count;
    const std::int64_t label = rows.labels[row];
    std::int64_t before = 0;
    for (std::int64_t other = 0; other < scoring.output_count; ++other) {
      const bool follows = outputs[other] < outputs[label] || (outputs[other] == outputs[label] && other < label);
      if (other != label && !follows) ++before;
    }
    return before < count ? 1 : 0;
  }
};

struct Brier {  // the sum over the classes, also of two
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const double* const probabilities = rows.probabilities->of(row);
    double sum = 0;
    for (std::int64_t label = 0; label < scoring.output_count; ++label) {
      const double error = label == rows.labels[row] ? 1 - probabilities[label] : probabilities[label];
      sum += error * error;
    }
    return sum;
  }
};

double absolute_error(double target, double output) {
  return std::abs(target - output);
}

double squared_error(double target, double output) {
  return (target - output) * (target - output);
}

// Of the targets with their offsets; those near 0 count as the epsilon of double.
struct RelativeError {  // the mean over the outputs
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    double sum = 0;
    for (std::int64_t output = 0; output < width; ++output) {
      const double offset =
          scoring.target_offsets.empty() ? 0 : scoring.target_offsets[static_cast<std::size_t>(output)];
      const double target = rows.targets[row * width + output];
      sum += absolute_error(target, double{rows.outputs[row * width + output]}) /
             std::max(std::abs(target + offset), std::numeric_limits<double>::epsilon());
    }
    return sum / static_cast<double>(width);
  }
};

template <double (*error)(double target, double output)>
struct Error {  // the mean over the outputs
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    double sum = 0;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      sum += error(double{rows.targets[index]}, double{rows.outputs[index]});
    return sum / static_cast<double>(width);
  }
};

double pinball_loss(double quantile, double target, double output) {
  const double error = target - output;
  return error < 0 ? (quantile - 1) * error : quantile * error;
}

struct Pinball {  // the mean over the outputs
  double quantile;

  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    const std::int64_t width = scoring.output_count;
    double sum = 0;
    for (std::int64_t index = row * width; index < (row + 1) * width; ++index)
      sum += pinball_loss(quantile, double{rows.targets[index]}, double{rows.outputs[index]});
    return sum / static_cast<double>(width);
  }
};

struct OwnPinball {  // the mean over the outputs, each with its own quantile
  double operator()(const Scoring& scoring, const ScoredRows& rows, std::int64_t row) const {
    double sum = 0;
    std::int64_t index = row * scoring.output_count;
    for (const double quantile : scoring.quantiles) {
      sum += pinball_loss(quantile, double{rows.targets[index]}, double{rows.outputs[index]});
      ++index;
    }
    return sum / static_cast<double>(scoring.output_count);
  }
};

// The weighted mean of the values of all rows.
template <class Value>
class Mean : public Accumulator {
  enum Index : std::size_t { weights, values, number_count };  // of `numbers_`

 public:
  explicit Mean(const Scoring& scoring, Value value = {})
      : Accumulator(number_count), scoring_(scoring), value_(value) {}

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

// The mean over the outputs of the root of the mean squared error.
class RootMeanSquaredError : public Accumulator {
  enum Index : std::size_t { weights, first_output };  // of `numbers_`: the sum of the squared errors of each output

 public:
  explicit RootMeanSquaredError(const Scoring& scoring)
      : Accumulator(first_output + static_cast<std::size_t>(scoring.output_count)), width_(scoring.output_count) {}

  void add(const ScoredRows& rows) override {
    for (std::int64_t row = 0; row < rows.count; ++row) {
      const double weight = rows.weight(row);
      numbers_[weights] += weight;
      double* sum = numbers_.data() + first_output;
      for (std::int64_t index = row * width_; index < (row + 1) * width_; ++index)
        *sum++ += weight * squared_error(double{rows.targets[index]}, double{rows.outputs[index]});
    }
  }

  void append(const Accumulator& later) override {
    for (std::size_t index = 0; index < numbers_.size(); ++index) numbers_[index] += later.numbers()[index];
  }

  double value() const override {
    double sum = 0;
    for (std::size_t index = first_output; index < numbers_.size(); ++index)
      sum += std::sqrt(numbers_[index] / numbers_[weights]);
    return sum / static_cast<double>(width_);
  }

 private:
  std::int64_t width_;
};

// The mean over the outputs of the largest absolute error of the rows with a weight.
class MaxError : public Accumulator {  // numbers_: that of each output
 public:
  explicit MaxError(const Scoring& scoring)
      : Accumulator(static_cast<std::size_t>(scoring.output_count)), width_(scoring.output_count) {}

  void add(const ScoredRows& rows) override {
    for (std::int64_t row = 0; row < rows.count; ++row) {
      if (rows.weight(row) == 0) continue;
      double* largest = numbers_.data();
      for (std::int64_t index = row * width_; index < (row + 1) * width_; ++index, ++largest)
        *largest = larger(*largest, absolute_error(double{rows.targets[index]}, double{rows.outputs[index]}));
    }
  }

  void append(const Accumulator& later) override {
    for (std::size_t index = 0; index < numbers_.size(); ++index)
      numbers_[index] = larger(numbers_[index], later.numbers()[index]);
  }

  double value() const override {
    return std::accumulate(numbers_.begin(), numbers_.end(), 0.0) / static_cast<double>(width_);
  }

 private:
  // NaN if one of them is NaN.
  static double larger(double one, double other) { return one > other || std::isnan(one) ? one : other; }

  std::int64_t width_;
};

// The expected calibration error: the mean distance between the confidence, which is the probability of the predicted
// class, and the accuracy, in 15 bins of equal width that include their upper ends. Source: Guo, Pleiss, Sun and
// Weinberger, On calibration of modern neural networks, ICML 2017.
class CalibrationError : public Accumulator {
  static constexpr std::size_t bins = 15;
  enum Number : std::size_t { weights, confidences, rights, per_bin };  // of each bin in `numbers_`

 public:
  CalibrationError() : Accumulator(bins * per_bin) {}

  void add(const ScoredRows& rows) override {
    for (std::int64_t row = 0; row < rows.count; ++row) {
      const std::int64_t predicted = rows.predicted_labels[row];
      const double confidence = rows.probabilities->of(row)[predicted];
      const double weight = rows.weight(row);
      double* const sums = numbers_.data() + bin_of(confidence) * per_bin;
      sums[weights] += weight;
      sums[confidences] += weight * confidence;
      if (predicted == rows.labels[row]) sums[rights] += weight;
    }
  }

  void append(const Accumulator& later) override {
    for (std::size_t index = 0; index < numbers_.size(); ++index) numbers_[index] += later.numbers()[index];
  }

  double value() const override {
    double weight_sum = 0, distances = 0;
    for (auto sums = numbers_.begin(); sums != numbers_.end(); sums += per_bin) {
      weight_sum += sums[weights];
      distances += std::abs(sums[rights] - sums[confidences]);
    }
    return distances / weight_sum;
  }

 private:
  static std::size_t bin_of(double confidence) {
    if (!(confidence > 0)) return 0;  // also NaN
    return std::min(static_cast<std::size_t>(std::ceil(confidence * bins)), bins) - 1;
  }
};

}  // namespace

std::unique_ptr<Accumulator> make_pointwise(const MetricFunction& metric, const Scoring& scoring) {
  const bool has_labels = scoring.task == Task::multilabel;
  switch (metric.kind) {
    case MetricKind::accuracy:
      if (has_labels) return std::make_unique<Mean<SubsetAccuracy>>(scoring);
      return std::make_unique<Mean<Accuracy>>(scoring);
    case MetricKind::hamming_loss:
      return std::make_unique<Mean<HammingLoss>>(scoring);
    case MetricKind::log_loss:
      if (has_labels) return std::make_unique<Mean<LogLossOfLabels>>(scoring);
      return std::make_unique<Mean<LogLoss>>(scoring);
    case MetricKind::top_3_accuracy:
      return std::make_unique<Mean<TopAccuracy>>(scoring, TopAccuracy{3});
    case MetricKind::top_k_accuracy:
      return std::make_unique<Mean<TopAccuracy>>(scoring, TopAccuracy{static_cast<std::int64_t>(metric.parameter)});
    case MetricKind::brier:
      if (has_labels) return std::make_unique<Mean<BrierOfLabels>>(scoring);
      return std::make_unique<Mean<Brier>>(scoring);
    case MetricKind::ece:
      return std::make_unique<CalibrationError>();
    case MetricKind::mae:
      return std::make_unique<Mean<Error<absolute_error>>>(scoring);
    case MetricKind::mse:
      return std::make_unique<Mean<Error<squared_error>>>(scoring);
    case MetricKind::mape:
      return std::make_unique<Mean<RelativeError>>(scoring);
    case MetricKind::mean_pinball:
      return std::make_unique<Mean<OwnPinball>>(scoring);
    case MetricKind::pinball:
      return std::make_unique<Mean<Pinball>>(scoring, Pinball{metric.parameter});
    case MetricKind::rmse:
      return std::make_unique<RootMeanSquaredError>(scoring);
    case MetricKind::max_error:
      return std::make_unique<MaxError>(scoring);
    case MetricKind::explained_variance:
      return make_explained_variance(scoring.output_count);
    case MetricKind::r2:
      return make_r2(scoring.output_count);
    default:
      throw std::logic_error("the metric is not pointwise");
  }
}

}  // namespace sheaf
