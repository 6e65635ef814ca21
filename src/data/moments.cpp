// SPDX-License-Identifier: MIT
#include "data/moments.hpp"

#include <algorithm>
#include <array>
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

struct ConstColumns {
  const double *mean, *squares, *least, *greatest;
};

// Joins the moments `later` of `added` rows to `mine` of `before` rows. `before` may be 0.
void join_columns(const Columns& mine, double before, const ConstColumns& later, double added, std::int64_t features) {
  const double share = added / (before + added);
  for (std::int64_t feature = 0; feature < features; ++feature) {
    const double distance = before > 0 ? later.mean[feature] - mine.mean[feature] : 0;
    mine.mean[feature] = before > 0 ? mine.mean[feature] + distance * share : later.mean[feature];
    mine.squares[feature] += later.squares[feature] + distance * distance * before * share;
    mine.least[feature] = std::min(mine.least[feature], later.least[feature]);
    mine.greatest[feature] = std::max(mine.greatest[feature], later.greatest[feature]);
  }
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

std::int64_t FeatureMoments::rows_at_once() const {
  constexpr std::int64_t cached_numbers = 1 << 16, most = 1024;
  return std::clamp<std::int64_t>(cached_numbers / std::max<std::int64_t>(1, features()), 1, most);
}

template <class Value>
void FeatureMoments::add(const Value* values, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return;
  constexpr std::int64_t width = 256;
  const auto added = static_cast<double>(rows.size());
  std::array<double, width> mean, squares, least, greatest;
  for (std::int64_t first = 0; first < features(); first += width) {
    const std::int64_t count = std::min(width, features() - first);
    const auto visit = [&](auto use) {
      for (const std::int64_t row : rows) {
        const Value* numbers = values + row * features() + first;
        for (std::int64_t place = 0; place < count; ++place)
          use(static_cast<std::size_t>(place), static_cast<double>(numbers[place]));
      }
    };
    mean.fill(0);
    squares.fill(0);
    least.fill(std::numeric_limits<double>::infinity());
    greatest.fill(-std::numeric_limits<double>::infinity());
    visit([&](std::size_t place, double value) {
      mean[place] += value;
      least[place] = std::min(least[place], value);
      greatest[place] = std::max(greatest[place], value);
    });
    for (double& sum : mean) sum /= added;
    visit([&](std::size_t place, double value) {
      const double distance = value - mean[place];
      squares[place] += distance * distance;
    });
    const Columns mine = columns_of(numbers_);
    join_columns({mine.mean + first, mine.squares + first, mine.least + first, mine.greatest + first},
                 static_cast<double>(count_), {mean.data(), squares.data(), least.data(), greatest.data()}, added,
                 count);
  }
  count_ += static_cast<std::int64_t>(rows.size());
}

template void FeatureMoments::add(const double*, const std::vector<std::int64_t>&);
template void FeatureMoments::add(const float*, const std::vector<std::int64_t>&);
template void FeatureMoments::add(const std::uint8_t*, const std::vector<std::int64_t>&);

void FeatureMoments::join(const FeatureMoments& later) {
  assert(features() == later.features());
  if (later.count_ == 0) return;
  const double* first = later.numbers_.data();
  join_columns(columns_of(numbers_), static_cast<double>(count_),
               {first, first + features(), first + 2 * features(), first + 3 * features()},
               static_cast<double>(later.count_), features());
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
    // The deviation of a constant feature may differ from 0 by rounding errors, so its extremes are compared.
    scaling.shift.push_back(standard && width > 0 ? moments.mean(feature) : least);
    scaling.divisor.push_back(!(width > 0) ? 1.0 : standard ? deviation : width);
  }
  return scaling;
}

}  // namespace sheaf
