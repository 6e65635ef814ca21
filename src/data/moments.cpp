// SPDX-License-Identifier: MIT
#include "data/moments.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace sheaf {
namespace {

struct Columns {
  double *mean, *squares, *least, *greatest;
};

Columns columns_of(std::vector<double>& numbers) {
  const auto features = static_cast<std::ptrdiff_t>(numbers.size() / 4);
  double* first = numbers.data();
  return {first, first + features, first + 2 * features, first + 3 * features};
}

}  // namespace

FeatureMoments::FeatureMoments(std::int64_t features) : numbers_(static_cast<std::size_t>(4 * features), 0.0) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Columns mine = columns_of(numbers_);
  std::fill(mine.least, mine.greatest, infinity);
  std::fill(mine.greatest, mine.greatest + features, -infinity);
}

FeatureMoments FeatureMoments::of_numbers(std::vector<double> numbers, std::int64_t count) {
  FeatureMoments moments(0);
  moments.numbers_ = std::move(numbers);
  moments.count_ = count;
  return moments;
}

void FeatureMoments::add(const double* row) {
  const Columns mine = columns_of(numbers_);
  const double share = 1 / static_cast<double>(++count_);
  const std::int64_t count = features();
  for (std::int64_t feature = 0; feature < count; ++feature) {
    const double value = row[feature];
    const double distance = value - mine.mean[feature];
    mine.mean[feature] += distance * share;
    mine.squares[feature] += distance * (value - mine.mean[feature]);
    mine.least[feature] = std::min(mine.least[feature], value);
    mine.greatest[feature] = std::max(mine.greatest[feature], value);
  }
}

void FeatureMoments::join(const FeatureMoments& later) {
  assert(features() == later.features());
  if (later.count_ == 0) return;
  const Columns mine = columns_of(numbers_);
  const auto before = static_cast<double>(count_), added = static_cast<double>(later.count_);
  const double share = added / (before + added);
  for (std::int64_t feature = 0; feature < features(); ++feature) {
    const double distance = later.mean(feature) - mine.mean[feature];
    mine.mean[feature] += distance * share;
    mine.squares[feature] += later.squares(feature) + distance * distance * before * share;
    mine.least[feature] = std::min(mine.least[feature], later.least(feature));
    mine.greatest[feature] = std::max(mine.greatest[feature], later.greatest(feature));
  }
  count_ += later.count_;
}

FeatureMoments FeatureMoments::pooled(const std::vector<std::int64_t>& group_of, std::int64_t groups) const {
  assert(static_cast<std::int64_t>(group_of.size()) == features());
  std::vector<FeatureMoments> pools(static_cast<std::size_t>(groups), FeatureMoments(1));
  for (std::int64_t feature = 0; feature < features(); ++feature)
    pools[static_cast<std::size_t>(group_of[static_cast<std::size_t>(feature)])].join(
        of_numbers({mean(feature), squares(feature), least(feature), greatest(feature)}, count_));
  FeatureMoments all(groups);
  const Columns columns = columns_of(all.numbers_);
  for (std::int64_t group = 0; group < groups; ++group) {
    const FeatureMoments& pool = pools[static_cast<std::size_t>(group)];
    columns.mean[group] = pool.mean(0);
    columns.squares[group] = pool.squares(0);
    columns.least[group] = pool.least(0);
    columns.greatest[group] = pool.greatest(0);
    all.count_ = pool.count_;
  }
  return all;
}

RowScaling scaling_of(const FeatureMoments& moments, Normalize normalize) {
  assert(normalize != Normalize::none && moments.count() > 0);
  RowScaling scaling;
  for (std::int64_t feature = 0; feature < moments.features(); ++feature) {
    const double least = moments.least(feature), width = moments.greatest(feature) - least;
    const bool standard = normalize == Normalize::standard;
    const double deviation = std::sqrt(moments.squares(feature) / static_cast<double>(moments.count()));
    // Rounding leaves what is constant a tiny deviation, hence the look at its extremes.
    scaling.shift.push_back(standard && width > 0 ? moments.mean(feature) : least);
    scaling.divisor.push_back(!(width > 0) ? 1.0 : standard ? deviation : width);
  }
  return scaling;
}

}  // namespace sheaf
