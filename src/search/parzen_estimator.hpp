// Parzen estimators of TPE: densities of a point of the search space, estimated from the points of some trials.
// Source: Optuna 5.0, TPESampler with multivariate=True; Watanabe, arXiv 2304.11127.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "search/search_axis.hpp"

namespace sheaf {

class RandomStream;

/// The positions of some trials on an axis of the search space.
struct AxisObservations {
  std::vector<double> positions;        ///< by age, oldest first
  std::vector<std::int32_t> ascending;  ///< of a range: the indices of `positions` by position, then by age
};

/// The weights of `count` observations by age, oldest first: 1 for the newest 25, and a linear ramp from 1 / count to 1
/// for all others. Pure.
std::vector<double> age_weights(std::int64_t count);

/// A mixture of one kernel for each observation, and of one for the whole space (the prior), with a weight of 1. A
/// kernel is a product over the axes:
/// - of a range, a normal distribution around the observation, truncated to the range. Its deviation is the distance to
///   the farther one of the two neighbors, in [1 / min(100, 2 + count), 1] of the range. An integer has the mass of its
///   cell. The prior is centered and has a deviation of 1;
/// - of a list with C candidates, 1 + 1 / (count + 1) for the observed one and 1 / (count + 1) for each other one,
///   normalized. The prior is uniform.
/// Thread-safe.
class ParzenEstimator {
 public:
  /// `observations`: of each axis, all with the same number of positions. Requires at least one axis.
  ParzenEstimator(const std::vector<SearchAxis>& axes, const std::vector<AxisObservations>& observations);

  /// Draws a point: a position on each axis, of integers the position of an integer.
  std::vector<double> draw(RandomStream& stream) const;

  /// The logarithm of the density at a point, relative to a uniform distribution on all axes.
  double log_density(const std::vector<double>& point) const;

 private:
  // The kernels on an axis: those of the observations by age, then the prior.
  struct Kernels {
    SearchAxis axis;
    std::vector<double> centers, inverse_deviations;  // of a range
    // Equal kernels have the same shape. Of a list: the candidate, or candidate_count() for the prior. Of integers: an
    // index of `shapes`, which has one of the kernels.
    std::vector<std::int32_t> shape_of, shapes;
  };

  Kernels kernels_of(const SearchAxis& axis, const AxisObservations& observations);
  void find_shapes(Kernels& kernels, const AxisObservations& observations) const;
  std::vector<double> log_densities_by_shape(const Kernels& kernels, double position) const;
  double drawn(const Kernels& kernels, std::size_t kernel, RandomStream& stream) const;

  std::int64_t observation_count_;
  std::vector<double> cumulative_weights_;
  std::vector<double> log_factors_;  // of each kernel: its weight, without what depends on the point
  std::vector<Kernels> kernels_;
};

}  // namespace sheaf
