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
  double *count, *mean, *squares, *least, *greatest;

  Columns from(std::int64_t feature) const {
    return {count + feature, mean + feature, squares + feature, least + feature, greatest + feature};
  }
};

Columns columns_of(std::vector<double>& numbers) {
  const auto features = static_cast<std::ptrdiff_t>(numbers.size()) / FeatureMoments::number_count;
  double* first = numbers.data();
  return {first, first + features, first + 2 * features, first + 3 * features, first + 4 * features};
}

// Moments of up to this many neighboring features, in registers and the first-level cache.
struct FewMoments {
  static constexpr std::int64_t width = 256;
  std::array<double, width> count, mean, squares, least, greatest;

  Columns columns() { return {count.data(), mean.data(), squares.data(), least.data(), greatest.data()}; }

  void clear(double rows) {
    count.fill(rows);
    mean.fill(0);
    squares.fill(0);
    least.fill(std::numeric_limits<double>::infinity());
    greatest.fill(-std::numeric_limits<double>::infinity());
  }

  // Adds `features` neighboring features of some rows of `values`, [rows, stride]. Returns false for rows with NaN,
  // unless `skips_nan`.
  template <bool skips_nan, class Value>
  bool add(const Value* values, std::int64_t stride, const std::vector<std::int64_t>& rows, std::int64_t features) {
    const auto visit = [&](auto use) {
      for (const std::int64_t row : rows) {
        const Value* numbers = values + row * stride;
        for (std::int64_t place = 0; place < features; ++place) {
          const auto value = static_cast<double>(numbers[place]);
          if (skips_nan && std::isnan(value)) continue;
          use(static_cast<std::size_t>(place), value);
        }
      }
    };
    clear(skips_nan ? 0 : static_cast<double>(rows.size()));
    visit([&](std::size_t place, double value) {
      if (skips_nan) ++count[place];
      mean[place] += value;
      least[place] = std::min(least[place], value);
      greatest[place] = std::max(greatest[place], value);
    });
    for (std::size_t place = 0; place < static_cast<std::size_t>(features); ++place) {
      if (!skips_nan && std::isnan(mean[place])) return false;
      if (count[place] > 0) mean[place] /= count[place];
    }
    visit([&](std::size_t place, double value) {
      const double distance = value - mean[place];
      squares[place] += distance * distance;
    });
    return true;
  }
};

// Joins the moments `later` to `mine`.
void join_columns(const Columns& mine, const Columns& later, std::int64_t features) {
  for (std::int64_t feature = 0; feature < features; ++feature) {
    const double before = mine.count[feature], added = later.count[feature];
    if (added == 0) continue;
    const double share = added / (before + added);
    const double distance = before > 0 ? later.mean[feature] - mine.mean[feature] : 0;
    mine.mean[feature] = before > 0 ? mine.mean[feature] + distance * share : later.mean[feature];
    mine.squares[feature] += later.squares[feature] + distance * distance * before * share;
    mine.least[feature] = std::min(mine.least[feature], later.least[feature]);
    mine.greatest[feature] = std::max(mine.greatest[feature], later.greatest[feature]);
    mine.count[feature] = before + added;
  }
}

}  // namespace

FeatureMoments::FeatureMoments(std::int64_t features) : numbers_(static_cast<std::size_t>(number_count * features)) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Columns mine = columns_of(numbers_);
  std::fill(mine.least, mine.greatest, infinity);
  std::fill(mine.greatest, mine.greatest + features, -infinity);
}

FeatureMoments FeatureMoments::of_numbers(std::vector<double> numbers) {
  FeatureMoments moments(0);
  moments.numbers_ = std::move(numbers);
  return moments;
}

std::int64_t FeatureMoments::rows_at_once() const {
  constexpr std::int64_t cached_numbers = 1 << 16, most = 1024;
  return std::clamp<std::int64_t>(cached_numbers / std::max<std::int64_t>(1, features()), 1, most);
}

template <class Value>
void FeatureMoments::add(const Value* values, const std::vector<std::int64_t>& rows) {
  if (rows.empty()) return;
  FewMoments few;
  for (std::int64_t first = 0; first < features(); first += FewMoments::width) {
    const std::int64_t count = std::min(FewMoments::width, features() - first);
    if (!few.add<false>(values + first, features(), rows, count))
      few.add<true>(values + first, features(), rows, count);
    join_columns(columns_of(numbers_).from(first), few.columns(), count);
  }
}

template void FeatureMoments::add(const double*, const std::vector<std::int64_t>&);
template void FeatureMoments::add(const float*, const std::vector<std::int64_t>&);
template void FeatureMoments::add(const std::uint8_t*, const std::vector<std::int64_t>&);

void FeatureMoments::join(const FeatureMoments& later) {
  assert(features() == later.features());
  std::vector<double> numbers = later.numbers_;
  join_columns(columns_of(numbers_), columns_of(numbers), features());
}

FeatureMoments FeatureMoments::pooled(const std::vector<std::int64_t>& group_of, std::int64_t groups) const {
  assert(static_cast<std::int64_t>(group_of.size()) == features());
  std::vector<FeatureMoments> pools(static_cast<std::size_t>(groups), FeatureMoments(1));
  for (std::int64_t feature = 0; feature < features(); ++feature)
    pools[static_cast<std::size_t>(group_of[static_cast<std::size_t>(feature)])].join(
        of_numbers({count(feature), mean(feature), squares(feature), least(feature), greatest(feature)}));
  FeatureMoments all(groups);
  const Columns columns = columns_of(all.numbers_);
  for (std::int64_t group = 0; group < groups; ++group) {
    const FeatureMoments& pool = pools[static_cast<std::size_t>(group)];
    columns.count[group] = pool.count(0);
    columns.mean[group] = pool.mean(0);
    columns.squares[group] = pool.squares(0);
    columns.least[group] = pool.least(0);
    columns.greatest[group] = pool.greatest(0);
  }
  return all;
}

RowScaling scaling_of(const FeatureMoments& moments, Normalize normalize) {
  assert(normalize != Normalize::none);
  RowScaling scaling;
  for (std::int64_t feature = 0; feature < moments.features(); ++feature) {
    const double least = moments.count(feature) > 0 ? moments.least(feature) : 0;
    const double width = moments.greatest(feature) - least;
    const bool standard = normalize == Normalize::standard;
    const double deviation = std::sqrt(moments.squares(feature) / moments.count(feature));
    // The deviation of a constant feature may differ from 0 by rounding errors, so its extremes are compared.
    scaling.shift.push_back(standard && width > 0 ? moments.mean(feature) : least);
    scaling.divisor.push_back(!(width > 0) ? 1.0 : standard ? deviation : width);
  }
  return scaling;
}

}  // namespace sheaf
