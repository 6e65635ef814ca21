// SPDX-License-Identifier: MIT
#include "dataset/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "dataset/once_cache.hpp"

namespace sheaf {
namespace {

using Rows = std::vector<std::int64_t>;

// All rows in random order; for classification one class after the other, each in random order. Whoever deals such a
// list out evenly deals each class out evenly.
Rows shuffled_by_class(const DataSet& data, RandomStream stream) {
  Rows order;
  order.reserve(static_cast<std::size_t>(data.rows));
  const bool stratified = data.task == Task::classification;
  std::vector<Rows> classes(stratified ? static_cast<std::size_t>(data.output_count) : 1);
  for (std::int64_t row = 0; row < data.rows; ++row)
    classes[stratified ? static_cast<std::size_t>(data.labels[row]) : 0].push_back(row);
  for (auto& members : classes) {
    shuffle(members.data(), static_cast<std::int64_t>(members.size()), stream);
    order.insert(order.end(), members.begin(), members.end());
  }
  return order;
}

std::int64_t holdout_count(std::int64_t rows, double fraction) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(rows) * fraction));
}

// Calls visit(feature, value) for each feature of the rows, in their order.
template <class Value, class Visit>
void for_each_feature(const Value* values, std::int64_t feature_count, const Rows& rows, Visit visit) {
  for (const std::int64_t row : rows)
    for (std::int64_t feature = 0; feature < feature_count; ++feature)
      visit(static_cast<std::size_t>(feature), static_cast<float>(values[row * feature_count + feature]));
}

template <class Visit>
void for_each_feature(const DataSet& data, const Rows& rows, Visit visit) {
  if (data.features != nullptr)
    for_each_feature(data.features, data.feature_count, rows, visit);
  else
    for_each_feature(data.byte_features, data.feature_count, rows, visit);
}

struct Extremes {
  std::vector<float> least;
  std::vector<float> greatest;
};

Extremes extremes_of(const DataSet& data, const Rows& rows) {
  const auto count = static_cast<std::size_t>(data.feature_count);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Extremes found{std::vector<float>(count, infinity), std::vector<float>(count, -infinity)};
  for_each_feature(data, rows, [&](std::size_t feature, float value) {
    found.least[feature] = std::min(found.least[feature], value);
    found.greatest[feature] = std::max(found.greatest[feature], value);
  });
  return found;
}

FeatureScaling minmax_scaling(const Extremes& extremes) {
  FeatureScaling scaling;
  scaling.shift = extremes.least;
  for (std::size_t feature = 0; feature < extremes.least.size(); ++feature) {
    const double width = double{extremes.greatest[feature]} - double{extremes.least[feature]};
    scaling.scale.push_back(width > 0 ? static_cast<float>(1 / width) : 1.0f);
  }
  return scaling;
}

// Two passes: the sum of squares around the mean loses no digits where the mean is large.
FeatureScaling standard_scaling(const DataSet& data, const Rows& rows, const Extremes& extremes) {
  const auto count = static_cast<double>(rows.size());
  std::vector<double> mean(extremes.least.size(), 0.0);
  for_each_feature(data, rows, [&](std::size_t feature, float value) { mean[feature] += double{value}; });
  for (double& sum : mean) sum /= count;
  std::vector<double> squares(mean.size(), 0.0);
  for_each_feature(data, rows, [&](std::size_t feature, float value) {
    const double deviation = double{value} - mean[feature];
    squares[feature] += deviation * deviation;
  });
  FeatureScaling scaling;
  for (std::size_t feature = 0; feature < mean.size(); ++feature) {
    // Rounding leaves a constant feature a tiny deviation, hence the look at its extremes.
    const bool constant = extremes.least[feature] == extremes.greatest[feature];
    scaling.shift.push_back(constant ? extremes.least[feature] : static_cast<float>(mean[feature]));
    scaling.scale.push_back(constant ? 1.0f : static_cast<float>(1 / std::sqrt(squares[feature] / count)));
  }
  return scaling;
}

// The rows that `in_validation(row)` chooses validate, the others train.
template <class InValidation>
Split split_rows(const DataSet& data, Normalise normalise, InValidation in_validation) {
  Split split;
  for (std::int64_t row = 0; row < data.rows; ++row)
    (in_validation(row) ? split.validation_rows : split.training_rows).push_back(row);
  split.scaling = feature_scaling(data, split.training_rows, normalise);
  return split;
}

void require_enough_rows(const DataSet& data, std::int64_t folds, double validation) {
  if (folds > 1) {
    require(data.rows >= folds,
            fmt::format("The data set has fewer rows than folds ({} rows, search.folds = {}). Ask for fewer folds.",
                        data.rows, folds));
  } else if (validation > 0) {
    const std::int64_t held_out = holdout_count(data.rows, validation);
    require(held_out < data.rows,
            fmt::format("No row is left to train on (data.validation = {} holds out {} of {} rows). Hold out fewer.",
                        validation, held_out, data.rows));
  } else {
    require(data.rows > 0, "The data set has no rows to train on.");
  }
}

}  // namespace

std::vector<std::int32_t> assign_folds(const DataSet& data, std::int64_t folds, std::uint64_t seed,
                                       std::int64_t repeat) {
  assert(folds >= 1);
  const Rows order = shuffled_by_class(data, RandomStream(seed, Purpose::folds, static_cast<std::uint64_t>(repeat)));
  std::vector<std::int32_t> fold_of(order.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    fold_of[static_cast<std::size_t>(order[place])] =
        static_cast<std::int32_t>(place % static_cast<std::size_t>(folds));
  return fold_of;
}

std::vector<std::int64_t> holdout_rows(const DataSet& data, double fraction, std::uint64_t seed, std::int64_t repeat) {
  const std::int64_t count = holdout_count(data.rows, fraction);
  assert(count <= data.rows);
  const Rows order = shuffled_by_class(data, RandomStream(seed, Purpose::holdout, static_cast<std::uint64_t>(repeat)));
  // Places at even distances: `count` of them in all, and of each class its share to within one.
  Rows held_out;
  held_out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number)
    held_out.push_back(order[static_cast<std::size_t>((2 * number + 1) * data.rows / (2 * count))]);
  std::sort(held_out.begin(), held_out.end());
  return held_out;
}

std::vector<std::int64_t> bootstrap_rows(const std::vector<std::int64_t>& rows, std::uint64_t iteration_seed) {
  RandomStream stream(iteration_seed, Purpose::bootstrap);
  std::vector<std::int64_t> times(rows.size(), 0);
  for (std::size_t draw = 0; draw < rows.size(); ++draw) ++times[stream.below(rows.size())];
  Rows drawn;
  drawn.reserve(rows.size());
  for (std::size_t place = 0; place < rows.size(); ++place)
    drawn.insert(drawn.end(), static_cast<std::size_t>(times[place]), rows[place]);
  return drawn;
}

FeatureScaling feature_scaling(const DataSet& data, const std::vector<std::int64_t>& rows, Normalise normalise) {
  if (normalise == Normalise::none || (data.features == nullptr && data.byte_features == nullptr)) return {};
  assert(!rows.empty());
  const Extremes extremes = extremes_of(data, rows);
  return normalise == Normalise::minmax ? minmax_scaling(extremes) : standard_scaling(data, rows, extremes);
}

std::vector<std::int64_t> batch_order(std::int64_t count, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch) {
  Rows order(static_cast<std::size_t>(count));
  batch_order(count, shuffled, iteration_seed, epoch, order.data());
  return order;
}

void batch_order(std::int64_t count, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order) {
  std::iota(order, order + count, 0);
  if (!shuffled) return;
  RandomStream stream(iteration_seed, Purpose::batch_order, static_cast<std::uint64_t>(epoch));
  shuffle(order, count, stream);
}

struct Splits::State {
  DataSet data;
  std::int64_t folds;
  double validation;
  Normalise normalise;
  std::uint64_t seed;
  std::int64_t repeats;
  std::vector<FeatureScaling> scalings;  // of data without features
  OnceCache<std::int64_t, std::vector<std::int32_t>> folds_of_repeat;
  OnceCache<std::pair<std::int64_t, std::int64_t>, Split> splits;

  Split make(std::int64_t repeat, std::int64_t fold);
};

namespace {

// How many splits of `data` are kept: studies with millions of repeats must not fill the memory with them.
std::size_t splits_kept(const DataSet& data, std::int64_t folds) {
  constexpr std::int64_t bytes_kept = std::int64_t{512} << 20;
  const std::int64_t split_bytes = 8 * (data.rows + data.feature_count);
  return static_cast<std::size_t>(std::max(2 * folds, bytes_kept / split_bytes));
}

}  // namespace

Splits::Splits(const Study& study, DataSet data, std::vector<FeatureScaling> scalings) {
  require_enough_rows(data, study.search.folds, study.data.validation);
  const std::size_t capacity = splits_kept(data, study.search.folds);
  state_.reset(new State{std::move(data), study.search.folds, study.data.validation, study.data.normalise,
                         study.study.seed, study.study.iterations * study.search.repeats, std::move(scalings),
                         OnceCache<std::int64_t, std::vector<std::int32_t>>(2),
                         OnceCache<std::pair<std::int64_t, std::int64_t>, Split>(capacity)});
}

Splits::~Splits() = default;

std::int64_t Splits::count() const {
  if (state_->folds <= 1 && state_->validation <= 0) return 1;
  return state_->repeats * std::max<std::int64_t>(1, state_->folds);
}

Split Splits::State::make(std::int64_t repeat, std::int64_t fold) {
  if (folds > 1) {
    const auto fold_of = folds_of_repeat.get(repeat, [&] { return assign_folds(data, folds, seed, repeat); });
    return split_rows(data, normalise,
                      [&](std::int64_t row) { return (*fold_of)[static_cast<std::size_t>(row)] == fold; });
  }
  if (validation > 0) {
    const Rows held_out = holdout_rows(data, validation, seed, repeat);
    auto next = held_out.begin();
    return split_rows(data, normalise, [&](std::int64_t row) {
      const bool found = next != held_out.end() && *next == row;
      if (found) ++next;
      return found;
    });
  }
  return split_rows(data, normalise, [](std::int64_t) { return false; });
}

std::shared_ptr<const Split> Splits::split(std::int64_t repeat, std::int64_t fold) {
  // Without folds and hold-out every repeat trains on all rows: one split serves them all.
  if (state_->folds <= 1 && state_->validation <= 0) repeat = 0;
  return state_->splits.get({repeat, fold}, [&] {
    Split made = state_->make(repeat, fold);
    if (!state_->scalings.empty())
      made.scaling =
          state_->scalings.at(static_cast<std::size_t>(repeat * std::max<std::int64_t>(1, state_->folds) + fold));
    return made;
  });
}

}  // namespace sheaf
