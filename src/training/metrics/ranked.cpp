// SPDX-License-Identifier: MIT
#include "training/metrics/ranked.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"

namespace sheaf {
namespace {

constexpr double not_defined = std::numeric_limits<double>::quiet_NaN();

// A row of one class against all others, or the error of a row.
struct Point {
  double score;
  double weight;  // negative: another class
};

// Sorting by digits pays off for more points.
constexpr std::size_t max_compared = 4096;

// Unsigned integers in the order of the scores.
std::uint64_t key_of(double score) {
  constexpr std::uint64_t sign = std::uint64_t{1} << 63U;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &score, sizeof bits);
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

// Equal scores are in the order of their weights, so that sums of weights do not depend on the order of the rows. Sorts
// many points several times faster than by comparisons: by the digits of the keys, the lowest first (radix sort).
void sort_by_score(std::vector<Point>& points) {
  if (points.size() <= max_compared) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return a.score < b.score || (a.score == b.score && a.weight < b.weight);
    });
    return;
  }
  const bool all_weigh_1 =
      std::all_of(points.begin(), points.end(), [](const Point& point) { return std::abs(point.weight) == 1; });
  if (!all_weigh_1)  // the sort by digits keeps this order
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.weight < b.weight; });
  constexpr unsigned digit_bits = 11, digits = 6;
  constexpr std::uint64_t radix = 1U << digit_bits;
  const auto digit_of = [](double score, unsigned digit) {
    return static_cast<std::size_t>(key_of(score) >> (digit * digit_bits) & (radix - 1));
  };
  std::array<std::array<std::size_t, radix>, digits> counts{};
  for (const Point& point : points)
    for (unsigned digit = 0; digit < digits; ++digit) ++counts[digit][digit_of(point.score, digit)];
  std::vector<Point> sorted(points.size());
  for (unsigned digit = 0; digit < digits; ++digit) {
    auto& places = counts[digit];
    if (places[digit_of(points.front().score, digit)] == points.size()) continue;  // all are equal
    std::size_t place = 0;
    for (std::size_t& count : places) place += std::exchange(count, place);
    for (const Point& point : points) sorted[places[digit_of(point.score, digit)]++] = point;
    points.swap(sorted);
  }
}

bool has_nan(const std::vector<Point>& points) {
  return std::any_of(points.begin(), points.end(), [](const Point& point) { return std::isnan(point.score); });
}

// The weights of neighboring points with equal scores, of the class and of the others.
struct EqualPoints {
  double of_class = 0, others = 0;
};

// Takes the points with the score of `point`, up to `end`.
template <class Iterator>
EqualPoints take_equal(Iterator& point, Iterator end) {
  EqualPoints equal;
  for (const double score = point->score; point != end && point->score == score; ++point)
    (point->weight < 0 ? equal.others : equal.of_class) += std::abs(point->weight);
  return equal;
}

// The probability that a row of the class has a higher score than another row; equal scores count half. NaN if one of
// the two kinds of rows has no weight. The points are sorted.
double area_under_curve(const std::vector<Point>& points) {
  double area = 0, of_class = 0, others = 0;
  for (auto point = points.begin(); point != points.end();) {
    const EqualPoints equal = take_equal(point, points.end());
    area += equal.of_class * (others + equal.others / 2);
    of_class += equal.of_class;
    others += equal.others;
  }
  return of_class > 0 && others > 0 ? area / of_class / others : not_defined;
}

// The mean over the rows of the class of the precision of the rows with at least their score; 0 without such rows, as
// in scikit-learn. The points are sorted.
double average_precision_of(const std::vector<Point>& points) {
  double sum = 0, of_class = 0, others = 0;
  for (auto point = points.rbegin(); point != points.rend();) {
    const EqualPoints equal = take_equal(point, points.rend());
    of_class += equal.of_class;
    others += equal.others;
    if (equal.of_class > 0) sum += equal.of_class * (of_class / (of_class + others));
  }
  return of_class > 0 ? sum / of_class : 0;
}

// One class against all others.
struct ClassRanks {
  double area = not_defined, average_precision = not_defined;
  double weight = 0;  // of the rows of the class
};

ClassRanks ranks_of(std::vector<Point> points) {
  ClassRanks ranks;
  const bool is_defined = !has_nan(points);
  if (is_defined) sort_by_score(points);
  for (const Point& point : points) ranks.weight += std::max(point.weight, 0.0);
  if (!is_defined) return ranks;
  ranks.area = area_under_curve(points);
  ranks.average_precision = average_precision_of(points);
  return ranks;
}

// Two classes: the ranks of the positive one. More classes, or labels: of each of them.
std::vector<ClassRanks> class_ranks(const RankedRows& rows, std::int64_t threads) {
  const std::int64_t classes = rows.scoring().output_count;
  const bool has_labels = rows.scoring().task == Task::multilabel;
  const IndexRange ranked = classes == 2 && !has_labels
                                ? IndexRange{rows.scoring().positive, rows.scoring().positive + 1}
                                : IndexRange{0, classes};
  const float* const outputs = rows.outputs().data();
  std::vector<RowScale> scales;
  scales.reserve(static_cast<std::size_t>(rows.count()));
  for (std::int64_t row = 0; row < rows.count(); ++row)
    scales.push_back(row_scale(rows.scoring(), outputs + row * classes));
  const auto is_of = [&](std::int64_t row, std::int64_t label) {
    return has_labels ? rows.targets()[static_cast<std::size_t>(row * classes + label)] != 0
                      : rows.labels()[static_cast<std::size_t>(row)] == label;
  };
  std::vector<ClassRanks> ranks(static_cast<std::size_t>(ranked.count()));
  for_each_index(ranked, std::min(threads, ranked.count()), [&]() -> IndexWork {
    return [&](std::int64_t label) {
      std::vector<Point> points;
      points.reserve(static_cast<std::size_t>(rows.count()));
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        points.push_back({class_probability(rows.scoring(), outputs + row * classes, scales[at], label),
                          is_of(row, label) ? rows.weight(row) : -rows.weight(row)});
      }
      ranks[static_cast<std::size_t>(label - ranked.begin)] = ranks_of(std::move(points));
    };
  });
  return ranks;
}

// The mean of a value of each class.
double mean_of(const std::vector<ClassRanks>& ranks, double ClassRanks::*value) {
  double sum = 0;
  for (const ClassRanks& one : ranks) sum += one.*value;
  return sum / static_cast<double>(ranks.size());
}

// Classes without rows do not count; without any rows of classes, all have the same value. Of two classes, the value of
// the positive one.
double weighted_mean_of(const std::vector<ClassRanks>& ranks, double ClassRanks::*value) {
  if (ranks.size() == 1) return ranks.front().*value;
  double sum = 0, weights = 0;
  for (const ClassRanks& one : ranks) {
    if (one.weight == 0) continue;
    sum += one.weight * (one.*value);
    weights += one.weight;
  }
  return weights > 0 ? sum / weights : ranks.front().*value;
}

// The mean of the two middle values if exactly half of the weight is below. NaN without weights, or if a score is NaN.
double weighted_median(std::vector<Point> points) {
  if (has_nan(points)) return not_defined;
  sort_by_score(points);
  double all = 0, below = 0, last = not_defined;
  for (const Point& point : points) all += point.weight;
  for (const Point& point : points) {
    if (point.weight == 0) continue;
    if (below > 0 && below == all / 2) return (last + point.score) / 2;
    below += point.weight;
    last = point.score;
    if (below > all / 2) return last;
  }
  return not_defined;
}

// The mean over the outputs of the median of the absolute errors. Of several quantiles, only the median counts.
double median_error(const RankedRows& rows, std::int64_t threads) {
  const std::int64_t width = rows.scoring().output_count;
  const std::vector<double>& quantiles = rows.scoring().quantiles;
  IndexRange measured{0, width};
  if (quantiles.size() > 1) {
    measured.begin = static_cast<std::int64_t>(quantile_output(MetricKind::median_ae, quantiles).value());
    measured.end = measured.begin + 1;
  }
  std::vector<double> medians(static_cast<std::size_t>(width));
  for_each_index(measured, std::min(threads, measured.count()), [&]() -> IndexWork {
    return [&](std::int64_t output) {
      std::vector<Point> errors;
      errors.reserve(static_cast<std::size_t>(rows.count()));
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto at = static_cast<std::size_t>(row * width + output);
        errors.push_back({std::abs(double{rows.targets()[at]} - double{rows.outputs()[at]}), rows.weight(row)});
      }
      medians[static_cast<std::size_t>(output)] = weighted_median(std::move(errors));
    };
  });
  return std::accumulate(medians.begin(), medians.end(), 0.0) / static_cast<double>(measured.count());
}

}  // namespace

void RankedRows::add(const ScoredRows& rows) {
  if (rows.weights != nullptr || !weights_.empty()) {
    weights_.resize(static_cast<std::size_t>(count()), 1.0f);
    for (std::int64_t row = 0; row < rows.count; ++row) weights_.push_back(static_cast<float>(rows.weight(row)));
  }
  const std::int64_t values = rows.count * scoring_.output_count;
  outputs_.insert(outputs_.end(), rows.outputs, rows.outputs + values);
  if (scoring_.task != Task::classification) {
    targets_.insert(targets_.end(), rows.targets, rows.targets + values);
    return;
  }
  for (std::int64_t row = 0; row < rows.count; ++row) labels_.push_back(static_cast<std::int32_t>(rows.labels[row]));
}

void RankedRows::append(const RankedRows& later) {
  if (!weights_.empty() || !later.weights_.empty()) {
    weights_.resize(static_cast<std::size_t>(count()), 1.0f);
    weights_.insert(weights_.end(), later.weights_.begin(), later.weights_.end());
  }
  outputs_.insert(outputs_.end(), later.outputs_.begin(), later.outputs_.end());
  labels_.insert(labels_.end(), later.labels_.begin(), later.labels_.end());
  targets_.insert(targets_.end(), later.targets_.begin(), later.targets_.end());
  if (!weights_.empty()) weights_.resize(static_cast<std::size_t>(count()), 1.0f);
}

double RankedRows::bytes(std::int64_t rows, const Scoring& scoring, bool has_weights, std::int64_t threads) {
  const bool has_targets = scoring.task != Task::classification;
  const auto outputs = static_cast<double>(scoring.output_count);
  const double of_row = outputs * sizeof(float) + (has_targets ? outputs * sizeof(float) : sizeof(std::int32_t)) +
                        (has_weights ? sizeof(float) : 0);
  const double of_points = std::min(static_cast<double>(threads), outputs) * 2 * sizeof(Point);
  const double of_metrics = of_points + (scoring.task == Task::regression ? 0 : sizeof(RowScale));
  return static_cast<double>(rows) * (2 * of_row + of_metrics);  // while they are gathered, rows exist twice
}

std::vector<double> ranked_metrics(const std::vector<MetricKind>& metrics, const RankedRows& rows,
                                   std::int64_t threads) {
  std::vector<ClassRanks> ranks;
  if (rows.scoring().task != Task::regression && !metrics.empty()) ranks = class_ranks(rows, threads);
  std::vector<double> values;
  for (const MetricKind metric : metrics) switch (metric) {
      case MetricKind::roc_auc:
        values.push_back(mean_of(ranks, &ClassRanks::area));
        break;
      case MetricKind::roc_auc_weighted:
        values.push_back(weighted_mean_of(ranks, &ClassRanks::area));
        break;
      case MetricKind::average_precision:
        values.push_back(mean_of(ranks, &ClassRanks::average_precision));
        break;
      case MetricKind::average_precision_weighted:
        values.push_back(weighted_mean_of(ranks, &ClassRanks::average_precision));
        break;
      case MetricKind::median_ae:
        values.push_back(median_error(rows, threads));
        break;
      default:
        throw std::logic_error("the metric does not rank rows");
    }
  return values;
}

}  // namespace sheaf
