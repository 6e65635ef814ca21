// SPDX-License-Identifier: MIT
#include "report/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace sheaf {
namespace {

std::size_t predicted_class(const HeldOutRows& rows, std::size_t row) {
  const auto begin = rows.predictions.begin() + static_cast<std::ptrdiff_t>(row * rows.outputs);
  return static_cast<std::size_t>(std::max_element(begin, begin + static_cast<std::ptrdiff_t>(rows.outputs)) - begin);
}

bool is_positive(const HeldOutRows& rows, std::size_t row, std::size_t output) {
  return rows.kind == HeldOutRows::Kind::classes ? rows.classes[row] == static_cast<std::int64_t>(output)
                                                 : rows.targets[row * rows.outputs + output] > 0.5;
}

// The numbers of positive and negative rows whose output is at least a threshold, for all thresholds, the highest
// first.
struct Decisions {
  std::vector<double> positives, negatives;
};

Decisions decisions_of(const HeldOutRows& rows, std::size_t output) {
  std::vector<std::size_t> order(rows.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rows.prediction(a, output) > rows.prediction(b, output); });
  Decisions decisions;
  double positives = 0, negatives = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    (is_positive(rows, order[at], output) ? positives : negatives) += 1;
    if (at + 1 < order.size() && rows.prediction(order[at], output) == rows.prediction(order[at + 1], output)) continue;
    decisions.positives.push_back(positives);
    decisions.negatives.push_back(negatives);
  }
  return decisions;
}

}  // namespace

std::vector<std::int64_t> confusion_counts(const HeldOutRows& rows) {
  std::vector<std::int64_t> counts(rows.outputs * rows.outputs);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto actual = static_cast<std::size_t>(rows.classes[row]);
    if (actual < rows.outputs) ++counts[actual * rows.outputs + predicted_class(rows, row)];
  }
  return counts;
}

std::vector<ClassScores> class_scores(const std::vector<std::int64_t>& confusion, std::size_t classes) {
  std::vector<ClassScores> scores(classes);
  for (std::size_t name = 0; name < classes; ++name) {
    std::int64_t actual = 0, predicted = 0;
    for (std::size_t other = 0; other < classes; ++other) {
      actual += confusion[name * classes + other];
      predicted += confusion[other * classes + name];
    }
    const auto right = static_cast<double>(confusion[name * classes + name]);
    ClassScores& score = scores[name];
    score.rows = actual;
    score.precision = predicted > 0 ? right / static_cast<double>(predicted) : 0;
    score.recall = actual > 0 ? right / static_cast<double>(actual) : 0;
    score.f1 = actual + predicted > 0 ? 2 * right / static_cast<double>(actual + predicted) : 0;
  }
  return scores;
}

DecisionCurve roc_curve(const HeldOutRows& rows, std::size_t output) {
  const Decisions decisions = decisions_of(rows, output);
  DecisionCurve curve{{{0, 0}}, std::numeric_limits<double>::quiet_NaN()};
  if (decisions.positives.empty() || decisions.positives.back() == 0 || decisions.negatives.back() == 0) return curve;
  curve.area = 0;
  for (std::size_t at = 0; at < decisions.positives.size(); ++at) {
    const Point next{decisions.negatives[at] / decisions.negatives.back(),
                     decisions.positives[at] / decisions.positives.back()};
    curve.area += (next.x - curve.points.back().x) * (next.y + curve.points.back().y) / 2;
    curve.points.push_back(next);
  }
  return curve;
}

DecisionCurve precision_recall_curve(const HeldOutRows& rows, std::size_t output) {
  const Decisions decisions = decisions_of(rows, output);
  DecisionCurve curve{{}, std::numeric_limits<double>::quiet_NaN()};
  if (decisions.positives.empty() || decisions.positives.back() == 0) return curve;
  curve.area = 0;
  double recall = 0;
  for (std::size_t at = 0; at < decisions.positives.size(); ++at) {
    const double found = decisions.positives[at];
    const Point next{found / decisions.positives.back(), found / (found + decisions.negatives[at])};
    curve.area += (next.x - recall) * next.y;
    recall = next.x;
    curve.points.push_back(next);
  }
  return curve;
}

std::vector<ReliabilityBin> reliability_bins(const HeldOutRows& rows) {
  constexpr std::size_t count = 15;
  std::vector<ReliabilityBin> bins(count);
  const auto add = [&](double probability, bool is_right) {
    if (!std::isfinite(probability)) return;
    const double place = std::ceil(std::clamp(probability, 0.0, 1.0) * double(count)) - 1;
    ReliabilityBin& bin = bins[static_cast<std::size_t>(std::max(0.0, place))];
    ++bin.rows;
    bin.confidence += probability;
    bin.accuracy += is_right ? 1 : 0;
  };
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (rows.kind == HeldOutRows::Kind::classes) {
      const std::size_t predicted = predicted_class(rows, row);
      add(rows.prediction(row, predicted), is_positive(rows, row, predicted));
    } else {
      for (std::size_t label = 0; label < rows.outputs; ++label)
        add(rows.prediction(row, label), is_positive(rows, row, label));
    }
  }
  for (ReliabilityBin& bin : bins) {
    if (bin.rows == 0) continue;
    bin.confidence /= static_cast<double>(bin.rows);
    bin.accuracy /= static_cast<double>(bin.rows);
  }
  return bins;
}

}  // namespace sheaf
