// SPDX-License-Identifier: MIT
#include "training/metrics/pointwise.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "training/metrics/pointwise_metrics.hpp"

namespace sheaf {
namespace {

// Rows whose probabilities are computed together.
constexpr std::int64_t block_rows = 128;

// A metric of one of several outputs.
class OfOutput : public Accumulator {
 public:
  OfOutput(std::unique_ptr<Accumulator> metric, std::size_t output, std::int64_t width)
      : Accumulator(metric->numbers().size()),
        metric_(std::move(metric)),
        output_(static_cast<std::int64_t>(output)),
        width_(width) {}

  void add(const ScoredRows& rows) override {
    const auto column = [&](const float* values) {
      std::vector<float> found;
      found.reserve(static_cast<std::size_t>(rows.count));
      for (std::int64_t row = 0; row < rows.count; ++row) found.push_back(values[row * width_ + output_]);
      return found;
    };
    const std::vector<float> outputs = column(rows.outputs), targets = column(rows.targets);
    Accumulator& metric = current();
    metric.add({rows.count, outputs.data(), nullptr, nullptr, targets.data(), rows.weights});
    numbers_ = metric.numbers();
  }

  void append(const Accumulator& later) override {
    Accumulator& metric = current();
    metric.append(static_cast<const OfOutput&>(later).current());
    numbers_ = metric.numbers();
  }

  double value() const override { return current().value(); }

 private:
  // The metric with the state of this object, which others may have set.
  Accumulator& current() const {
    metric_->set_numbers(numbers_.data());
    return *metric_;
  }

  const std::unique_ptr<Accumulator> metric_;
  const std::int64_t output_, width_;
};

// Of several quantiles, most metrics measure the output of one.
std::unique_ptr<Accumulator> make_for_outputs(const MetricFunction& metric, const Scoring& scoring) {
  if (scoring.quantiles.size() <= 1 || metric.kind == MetricKind::mean_pinball) return make_pointwise(metric, scoring);
  const std::size_t output = quantile_output(metric, scoring.quantiles).value();
  Scoring of_output = scoring;
  of_output.output_count = 1;
  of_output.quantiles = {scoring.quantiles[output]};
  if (!scoring.target_offsets.empty()) of_output.target_offsets = {scoring.target_offsets[output]};
  return std::make_unique<OfOutput>(make_pointwise(metric, of_output), output, scoring.output_count);
}

}  // namespace

PointwiseSums::PointwiseSums(const Scoring& scoring, const std::vector<MetricFunction>& metrics) : scoring_(scoring) {
  for (const MetricFunction& metric : metrics) {
    if (metric_of(metric.kind).family != MetricFamily::pointwise) continue;
    accumulators_.push_back(make_for_outputs(metric, scoring));
    needs_probabilities_ = needs_probabilities_ || metric_of(metric.kind).losses == MetricLosses::probabilities;
  }
}

void PointwiseSums::add(const ScoredRows& rows) {
  const std::int64_t at_once = needs_probabilities_ ? block_rows : std::max<std::int64_t>(rows.count, 1);
  for (std::int64_t begin = 0; begin < rows.count; begin += at_once) {
    ScoredRows block = rows.slice(begin, std::min(begin + at_once, rows.count), scoring_.output_count);
    if (needs_probabilities_) {
      probabilities_.compute(scoring_, block.outputs, block.count);
      block.probabilities = &probabilities_;
    }
    for (const auto& accumulator : accumulators_) accumulator->add(block);
  }
}

void PointwiseSums::append(const PointwiseSums& later) {
  for (std::size_t number = 0; number < accumulators_.size(); ++number)
    accumulators_[number]->append(*later.accumulators_[number]);
}

std::vector<double> PointwiseSums::values() const {
  std::vector<double> values;
  for (const auto& accumulator : accumulators_) values.push_back(accumulator->value());
  return values;
}

std::vector<double> PointwiseSums::numbers() const {
  std::vector<double> all;
  for (const auto& accumulator : accumulators_)
    all.insert(all.end(), accumulator->numbers().begin(), accumulator->numbers().end());
  return all;
}

void PointwiseSums::set_numbers(const double* numbers) {
  for (const auto& accumulator : accumulators_) {
    accumulator->set_numbers(numbers);
    numbers += accumulator->numbers().size();
  }
}

}  // namespace sheaf
