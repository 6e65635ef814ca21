// SPDX-License-Identifier: MIT
#include "search/parzen_estimator.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/random/random_stream.hpp"
#include "search/normal_mass.hpp"

namespace sheaf {
namespace {

constexpr double log_sqrt_two_pi = 0.91893853320467274178;

// The deviation of the kernel of the observation that is `index`-th in ascending order.
double deviation_of(const AxisObservations& observations, std::size_t index) {
  const std::size_t count = observations.positions.size();
  const auto at = [&](std::size_t other) {
    return observations.positions[static_cast<std::size_t>(observations.ascending[other])];
  };
  const double position = at(index);
  // The outermost observations have one neighbor; only a single one has the ends of the range as neighbors.
  const double left = index > 0 ? position - at(index - 1) : count == 1 ? position : 0;
  const double right = index + 1 < count ? at(index + 1) - position : count == 1 ? 1 - position : 0;
  return std::clamp(std::max(left, right), 1 / std::min(100.0, 2 + static_cast<double>(count)), 1.0);
}

// The part of a normal distribution with its center in [0, 1] that is in [0, 1].
double mass_in_range(double center, double inverse_deviation) {
  constexpr double far = 9;  // the mass above it is below the precision of a number near 1
  double mass = 1;
  for (const double distance : {center * inverse_deviation, (1 - center) * inverse_deviation})
    if (distance < far) mass -= normal_tail(distance);
  return mass;
}

}  // namespace

std::vector<double> age_weights(std::int64_t count) {
  constexpr std::int64_t newest = 25;
  std::vector<double> weights(static_cast<std::size_t>(count), 1.0);
  const std::int64_t old = count - newest;
  const double first = 1 / static_cast<double>(count);
  for (std::int64_t index = 0; index < old; ++index)
    weights[static_cast<std::size_t>(index)] =
        first + (1 - first) * static_cast<double>(index) / static_cast<double>(std::max<std::int64_t>(old - 1, 1));
  return weights;
}

ParzenEstimator::ParzenEstimator(const std::vector<SearchAxis>& axes,
                                 const std::vector<AxisObservations>& observations) {
  assert(!axes.empty() && axes.size() == observations.size());
  observation_count_ = static_cast<std::int64_t>(observations.front().positions.size());
  cumulative_weights_ = age_weights(observation_count_);
  cumulative_weights_.push_back(1);
  log_factors_.reserve(cumulative_weights_.size());
  for (const double weight : cumulative_weights_) log_factors_.push_back(std::log(weight));
  std::partial_sum(cumulative_weights_.begin(), cumulative_weights_.end(), cumulative_weights_.begin());
  const double log_total = std::log(cumulative_weights_.back());
  for (double& factor : log_factors_) factor -= log_total;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) kernels_.push_back(kernels_of(axes[axis], observations[axis]));
}

ParzenEstimator::Kernels ParzenEstimator::kernels_of(const SearchAxis& axis, const AxisObservations& observations) {
  assert(static_cast<std::int64_t>(observations.positions.size()) == observation_count_);
  Kernels kernels{axis, {}, {}, {}, {}};
  if (axis.is_list()) {
    kernels.shape_of.assign(observations.positions.begin(), observations.positions.end());
    kernels.shape_of.push_back(static_cast<std::int32_t>(axis.candidate_count()));
    return kernels;
  }
  kernels.centers = observations.positions;
  kernels.centers.push_back(0.5);
  const std::size_t count = kernels.centers.size();
  kernels.inverse_deviations.assign(count, 1.0);
  for (std::size_t index = 0; index + 1 < count; ++index)
    kernels.inverse_deviations[static_cast<std::size_t>(observations.ascending[index])] =
        1 / deviation_of(observations, index);
  for (std::size_t kernel = 0; kernel < count; ++kernel)
    log_factors_[kernel] += std::log(kernels.inverse_deviations[kernel] /
                                     mass_in_range(kernels.centers[kernel], kernels.inverse_deviations[kernel]));
  if (axis.is_integer()) find_shapes(kernels, observations);
  return kernels;
}

// In ascending order, equal kernels are neighbors.
void ParzenEstimator::find_shapes(Kernels& kernels, const AxisObservations& observations) const {
  kernels.shape_of.resize(kernels.centers.size());
  const auto are_equal = [&](std::int32_t one, std::int32_t other) {
    const auto a = static_cast<std::size_t>(one), b = static_cast<std::size_t>(other);
    return kernels.centers[a] == kernels.centers[b] && kernels.inverse_deviations[a] == kernels.inverse_deviations[b];
  };
  const auto add = [&](std::int32_t kernel) {
    if (kernels.shapes.empty() || !are_equal(kernels.shapes.back(), kernel)) kernels.shapes.push_back(kernel);
    kernels.shape_of[static_cast<std::size_t>(kernel)] = static_cast<std::int32_t>(kernels.shapes.size() - 1);
  };
  for (const std::int32_t kernel : observations.ascending) add(kernel);
  add(static_cast<std::int32_t>(observation_count_));
}

std::vector<double> ParzenEstimator::draw(RandomStream& stream) const {
  const double weight = stream.uniform_double() * cumulative_weights_.back();
  const auto chosen = std::upper_bound(cumulative_weights_.begin(), cumulative_weights_.end() - 1, weight);
  const auto kernel = static_cast<std::size_t>(chosen - cumulative_weights_.begin());
  std::vector<double> point;
  point.reserve(kernels_.size());
  for (const Kernels& kernels : kernels_) point.push_back(drawn(kernels, kernel, stream));
  return point;
}

double ParzenEstimator::drawn(const Kernels& kernels, std::size_t kernel, RandomStream& stream) const {
  const SearchAxis& axis = kernels.axis;
  if (axis.is_list()) {
    const auto candidates = static_cast<std::uint64_t>(axis.candidate_count());
    const std::int32_t observed = kernels.shape_of[kernel];
    if (observed == axis.candidate_count()) return static_cast<double>(stream.below(candidates));  // the prior
    // A part of `own` in `own` + `candidates` for the observed candidate, the rest for all candidates alike.
    const auto own = static_cast<std::uint64_t>(observation_count_ + 1);
    const std::uint64_t number = stream.below(own + candidates);
    return number < own ? observed : static_cast<double>(number - own);
  }
  const double center = kernels.centers[kernel], deviation = 1 / kernels.inverse_deviations[kernel];
  double position = -1;  // at least a third of the mass is in the range
  while (position < 0 || position > 1) position = center + deviation * stream.normal();
  return axis.is_integer() ? axis.position(axis.integer(position)) : position;
}

double ParzenEstimator::log_density(const std::vector<double>& point) const {
  assert(point.size() == kernels_.size());
  std::vector<double> terms = log_factors_;
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    const Kernels& kernels = kernels_[axis];
    if (kernels.shape_of.empty()) {
      for (std::size_t kernel = 0; kernel < terms.size(); ++kernel) {
        const double z = (point[axis] - kernels.centers[kernel]) * kernels.inverse_deviations[kernel];
        terms[kernel] -= 0.5 * z * z + log_sqrt_two_pi;
      }
    } else {
      const std::vector<double> densities = log_densities_by_shape(kernels, point[axis]);
      for (std::size_t kernel = 0; kernel < terms.size(); ++kernel)
        terms[kernel] += densities[static_cast<std::size_t>(kernels.shape_of[kernel])];
    }
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  constexpr double negligible = -60;  // e^-60 is below the precision of the sum of 10^9 terms
  double sum = 0;
  for (const double term : terms)
    if (term - largest > negligible) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

std::vector<double> ParzenEstimator::log_densities_by_shape(const Kernels& kernels, double position) const {
  const SearchAxis& axis = kernels.axis;
  if (axis.is_list()) {
    const auto own = static_cast<double>(observation_count_ + 1);
    const auto candidates = static_cast<double>(axis.candidate_count());
    const double other = std::log(candidates / (own + candidates));
    std::vector<double> densities(static_cast<std::size_t>(axis.candidate_count()), other);
    densities[static_cast<std::size_t>(position)] += std::log1p(own);
    densities.push_back(0);  // the prior
    return densities;
  }
  const SearchAxis::Cell cell = axis.cell(axis.integer(position));
  std::vector<double> densities;
  densities.reserve(kernels.shapes.size());
  for (const std::int32_t shape : kernels.shapes) {
    const auto kernel = static_cast<std::size_t>(shape);
    densities.push_back(
        log_mean_normal_density((cell.center - kernels.centers[kernel]) * kernels.inverse_deviations[kernel],
                                cell.width * kernels.inverse_deviations[kernel]));
  }
  return densities;
}

}  // namespace sheaf
