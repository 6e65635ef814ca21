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

// A row of one class against all others.
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

// Sorts many points several times faster than by comparisons: by the digits of the keys, the lowest first (radix sort).
void sort_by_score(std::vector<Point>& points) {
  if (points.size() <= max_compared) {
    std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.score < b.score; });
    return;
  }
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

// The probability that a row of the class has a higher score than another row; equal scores count half. NaN if a score
// is NaN, or one of the two kinds of rows has no weight.
double area_under_curve(std::vector<Point>& points) {
  if (std::any_of(points.begin(), points.end(), [](const Point& point) { return std::isnan(point.score); }))
    return not_defined;
  sort_by_score(points);
  double area = 0, of_class = 0, others = 0;
  for (auto point = points.begin(); point != points.end();) {
    const double score = point->score;
    double equal_of_class = 0, equal_others = 0;
    for (; point != points.end() && point->score == score; ++point)
      (point->weight < 0 ? equal_others : equal_of_class) += std::abs(point->weight);
    area += equal_of_class * (others + equal_others / 2);
    of_class += equal_of_class;
    others += equal_others;
  }
  return of_class > 0 && others > 0 ? area / of_class / others : not_defined;
}

// Two classes: the area of the second one. More: the mean over the classes, each against all others.
double roc_auc(const RankedRows& rows, std::int64_t threads) {
  const std::int64_t classes = rows.scoring().output_count, first = classes == 2 ? 1 : 0;
  const float* const outputs = rows.outputs().data();
  std::vector<RowScale> scales;
  scales.reserve(static_cast<std::size_t>(rows.count()));
  for (std::int64_t row = 0; row < rows.count(); ++row)
    scales.push_back(row_scale(rows.scoring(), outputs + row * classes));
  std::vector<double> areas(static_cast<std::size_t>(classes - first));
  for_each_index({first, classes}, std::min(threads, classes - first), [&]() -> IndexWork {
    return [&](std::int64_t label) {
      std::vector<Point> points;
      points.reserve(static_cast<std::size_t>(rows.count()));
      for (std::int64_t row = 0; row < rows.count(); ++row) {
        const auto at = static_cast<std::size_t>(row);
        points.push_back({class_probability(rows.scoring(), outputs + row * classes, scales[at], label),
                          rows.labels()[at] == label ? rows.weight(row) : -rows.weight(row)});
      }
      areas[static_cast<std::size_t>(label - first)] = area_under_curve(points);
    };
  });
  return std::accumulate(areas.begin(), areas.end(), 0.0) / static_cast<double>(areas.size());
}

}  // namespace

void RankedRows::add(const ScoredRows& rows) {
  if (rows.weights != nullptr || !weights_.empty()) {
    weights_.resize(labels_.size(), 1.0f);
    for (std::int64_t row = 0; row < rows.count; ++row) weights_.push_back(static_cast<float>(rows.weight(row)));
  }
  outputs_.insert(outputs_.end(), rows.outputs, rows.outputs + rows.count * scoring_.output_count);
  for (std::int64_t row = 0; row < rows.count; ++row) labels_.push_back(static_cast<std::int32_t>(rows.labels[row]));
}

void RankedRows::append(const RankedRows& later) {
  if (!weights_.empty() || !later.weights_.empty()) {
    weights_.resize(labels_.size(), 1.0f);
    weights_.insert(weights_.end(), later.weights_.begin(), later.weights_.end());
  }
  outputs_.insert(outputs_.end(), later.outputs_.begin(), later.outputs_.end());
  labels_.insert(labels_.end(), later.labels_.begin(), later.labels_.end());
  if (!weights_.empty()) weights_.resize(labels_.size(), 1.0f);
}

double RankedRows::bytes(std::int64_t rows, std::int64_t output_count, std::int64_t threads) {
  const auto outputs = static_cast<double>(output_count);
  const double of_row = outputs * sizeof(float) + sizeof(std::int32_t);
  const double of_metric = sizeof(RowScale) + std::min(static_cast<double>(threads), outputs) * 2 * sizeof(Point);
  return static_cast<double>(rows) * (2 * of_row + of_metric);  // while they are gathered, rows exist twice
}

double ranked_metric(MetricKind metric, const RankedRows& rows, std::int64_t threads) {
  switch (metric) {
    case MetricKind::roc_auc:
      return roc_auc(rows, threads);
    default:
      throw std::logic_error("the metric does not rank rows");
  }
}

}  // namespace sheaf
