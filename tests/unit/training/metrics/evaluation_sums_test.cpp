// SPDX-License-Identifier: MIT
#include "training/metrics/evaluation_sums.hpp"

#include <cmath>
#include <limits>

#include "models/predictions.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "support/catch.hpp"
#include "support/small_studies.hpp"
#include "training/metrics/predicted_label.hpp"
#include "training/metrics/score.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr std::int64_t rows = 60, outputs = 3;

double score_of(MetricKind metric, const std::vector<float>& predictions, const DataSet& data, const RowSet& of) {
  const LossKind loss = data.task == Task::regression ? LossKind::mse : LossKind::cross_entropy;
  const Scoring scoring{data.task, loss, false, data.output_count, {}, data.target_offsets};
  return prediction_scores({metric}, {scoring, predictions, data, of}).front();
}

// Numbers with a mean far from zero.
std::vector<float> numbers(double shift) {
  std::vector<float> values;
  for (std::int64_t index = 0; index < rows * outputs; ++index)
    values.push_back(static_cast<float>(100 + std::sin(shift + 1.7 * static_cast<double>(index))));
  return values;
}

std::vector<std::int64_t> labels() {
  std::vector<std::int64_t> values;
  for (std::int64_t row = 0; row < rows; ++row) values.push_back(row * row % outputs);
  return values;
}

RowSet all_rows() {
  return RowSet::all(rows);
}

// The labels that the outputs predict.
std::vector<std::int64_t> predicted_labels(const float* logits, std::int64_t count, std::int64_t width) {
  std::vector<std::int64_t> predicted;
  for (std::int64_t row = 0; row < count; ++row) predicted.push_back(predicted_label(logits + row * width, width));
  return predicted;
}

// The metrics without a parameter, in the order of the table.
std::vector<MetricFunction> all_metrics(const Scoring& scoring) {
  std::vector<MetricFunction> metrics;
  for (const Metric& metric : metric_table)
    if (metric.parameter == MetricParameter::none && applies_to(metric, scoring.task, scoring.loss.kind))
      metrics.emplace_back(metric.kind);
  return metrics;
}

void add_labels(EvaluationSums& sums, const float* logits, const std::int64_t* classes, std::int64_t count,
                std::int64_t width = outputs) {
  sums.add({count, logits, predicted_labels(logits, count, width).data(), classes, nullptr});
}

// The joined sums of the parts that end at `ends`.
EvaluationSums in_pieces(const Scoring& scoring, const std::vector<float>& predictions,
                         const std::vector<std::int64_t>& ends) {
  const auto targets = numbers(0);
  const auto classes = labels();
  const auto metrics = all_metrics(scoring);
  EvaluationSums sums(scoring, metrics);
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    EvaluationSums piece(scoring, metrics);
    const float* of_piece = predictions.data() + begin * outputs;
    if (scoring.task == Task::regression)
      piece.add({end - begin, of_piece, nullptr, nullptr, targets.data() + begin * outputs});
    else
      add_labels(piece, of_piece, classes.data() + begin, end - begin);
    sums.append({scoring, metrics, piece.numbers().data()});
    begin = end;
  }
  return sums;
}

// The pointwise metrics of the task, in the order of the table, with the values of all rows.
void check_metrics(const EvaluationSums& sums, const std::vector<float>& predictions, const DataSet& data) {
  const auto values = sums.values();
  auto found = values.begin();
  for (const Metric& metric : metric_table) {
    if (!metric.applies_to(data.task) || metric.family != MetricFamily::pointwise) continue;
    if (metric.parameter != MetricParameter::none || metric.losses == MetricLosses::quantiles) continue;
    CAPTURE(metric.name);
    REQUIRE(found != values.end());
    CHECK(*found == Approx(score_of(metric.kind, predictions, data, all_rows())).epsilon(1e-12));
    ++found;
  }
  CHECK(found == values.end());
}

}  // namespace

TEST_CASE("joined sums of parts give the loss and the metrics of all rows") {
  const auto predictions = numbers(0.2);
  for (const auto& ends : std::vector<std::vector<std::int64_t>>{{rows}, {0, 1, 7, 7, rows}, {30, rows}}) {
    const DataSet values = regression_data(1, std::vector<float>(rows), numbers(0), outputs);
    const auto regression = in_pieces({Task::regression, LossKind::mse, false, outputs}, predictions, ends);
    check_metrics(regression, predictions, values);
    double squares = 0;
    for (std::size_t index = 0; index < predictions.size(); ++index)
      squares += std::pow(double{predictions[index]} - double{values.targets[index]}, 2);
    CHECK(regression.loss() == Approx(squares / (rows * outputs)).epsilon(1e-12));

    const DataSet classes = classification_data(1, std::vector<float>(rows), labels(), outputs);
    const auto classification =
        in_pieces({Task::classification, LossKind::cross_entropy, false, outputs}, predictions, ends);
    check_metrics(classification, predictions, classes);
    const double log_loss = score_of(MetricKind::log_loss, predictions, classes, all_rows());
    CHECK(classification.loss() == Approx(log_loss).epsilon(1e-12));
    const Scoring scoring{Task::classification, LossKind::cross_entropy, false, outputs};
    EvaluationSums sums(scoring, {MetricKind::log_loss});
    add_labels(sums, predictions.data(), labels().data(), rows);
    CHECK(sums.values() == std::vector<double>{sums.loss()});
  }
}

TEST_CASE("losses of values follow their definitions") {
  const auto predictions = numbers(0.2), targets = numbers(0);
  constexpr double delta = 0.05;
  double absolute = 0, huber = 0;
  for (std::size_t at = 0; at < predictions.size(); ++at) {
    const double size = std::abs(double{predictions[at]} - double{targets[at]});
    absolute += size;
    huber += size <= delta ? size * size / 2 : delta * (size - delta / 2);
  }
  const auto loss_of_all = [&](const LossFunction& loss) {
    return in_pieces({Task::regression, loss, false, outputs}, predictions, {7, rows}).loss();
  };
  CHECK(loss_of_all(LossKind::mae) == Approx(absolute / (rows * outputs)).epsilon(1e-12));
  CHECK(loss_of_all({LossKind::huber, delta}) == Approx(huber / (rows * outputs)).epsilon(1e-12));
}

TEST_CASE("the loss poisson is computed from predictions") {
  const auto predictions = numbers(0.2), targets = numbers(0);
  double sum = 0;
  for (std::size_t at = 0; at < predictions.size(); ++at)
    sum += double{predictions[at]} - double{targets[at]} * std::log(double{predictions[at]});
  const Scoring scoring{Task::regression, LossKind::poisson, false, outputs};
  CHECK(in_pieces(scoring, predictions, {7, rows}).loss() == Approx(sum / (rows * outputs)).epsilon(1e-12));
  CHECK(in_pieces(scoring, predictions, {rows}).values() ==
        in_pieces({Task::regression, LossKind::mse, false, outputs}, predictions, {rows}).values());
}

TEST_CASE("the loss quantile has a quantile for each output") {
  const auto predictions = numbers(0.2), targets = numbers(0);
  Scoring scoring{Task::regression, LossKind::quantile, false, outputs};
  double sum = 0;
  for (std::int64_t output = 0; output < outputs; ++output)
    scoring.quantiles.push_back(static_cast<double>(output + 1) / (outputs + 1));
  for (std::size_t at = 0; at < predictions.size(); ++at) {
    const double quantile = scoring.quantiles[at % outputs], error = double{targets[at]} - double{predictions[at]};
    sum += std::max(quantile * error, (quantile - 1) * error);
  }
  CHECK(in_pieces(scoring, predictions, {7, rows}).loss() == Approx(sum / (rows * outputs)).epsilon(1e-12));
}

TEST_CASE("the losses of logits equal those of the corresponding probabilities") {
  auto predictions = numbers(0.2);
  for (float& value : predictions) value = 4 * (value - 100);
  for (const auto loss : {LossKind::cross_entropy, LossKind::bce}) {
    const double of_logits = in_pieces({Task::classification, loss, false, outputs}, predictions, {rows}).loss();
    auto probabilities = predictions;
    make_predictions(loss, outputs, probabilities.data(), rows);
    CHECK(in_pieces({Task::classification, loss, true, outputs}, probabilities, {rows}).loss() ==
          Approx(of_logits).epsilon(1e-5));
    double sum = 0;  // by definition
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t output = 0; output < outputs; ++output) {
        const double probability = double{probabilities[static_cast<std::size_t>(row * outputs + output)]};
        const bool is_label = labels()[static_cast<std::size_t>(row)] == output;
        if (is_label) sum -= std::log(probability);
        if (!is_label && loss == LossKind::bce) sum -= std::log(1 - probability);
      }
    CHECK(of_logits == Approx(sum / (loss == LossKind::bce ? rows * outputs : rows)).epsilon(1e-5));
  }
}

TEST_CASE("the cross entropy of many rows of logits is correct, also for large logits") {
  const std::int64_t count = 150, width = 5;
  std::vector<float> logits;
  std::vector<std::int64_t> classes;
  double sum = 0;
  for (std::int64_t row = 0; row < count; ++row) {
    double powers = 0;
    for (std::int64_t output = 0; output < width; ++output)
      logits.push_back(static_cast<float>((row % 7 == 0 ? 1e4 : 8) * std::sin(static_cast<double>(row * 11 + output))));
    const float* of_row = logits.data() + row * width;
    const double largest = double{of_row[predicted_label(of_row, width)]};
    for (std::int64_t output = 0; output < width; ++output) powers += std::exp(double{of_row[output]} - largest);
    classes.push_back(row * row % width);
    sum += std::log(powers) + largest - double{of_row[classes.back()]};
  }
  EvaluationSums sums({Task::classification, LossKind::cross_entropy, false, width}, {});
  add_labels(sums, logits.data(), classes.data(), count, width);
  CHECK(sums.loss() == Approx(sum / static_cast<double>(count)).epsilon(1e-12));
  logits[3] = std::numeric_limits<float>::quiet_NaN();
  add_labels(sums, logits.data(), classes.data(), 1, width);
  CHECK(std::isnan(sums.loss()));
}
