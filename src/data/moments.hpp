// What scaling needs to know of rows: means, deviations and extremes of features, gathered some rows at a time and
// joined part by part.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

/// Of the rows seen so far, for each feature.
class FeatureMoments {
 public:
  explicit FeatureMoments(std::int64_t features);

  /// How many rows add() should get at once: enough for accuracy, few enough that they stay in a cache.
  std::int64_t rows_at_once() const;
  /// Adds the rows of these numbers of `values`, [rows, features], all finite: first their mean, then the squares about
  /// it, which loses no digits where the mean is large; then as join(). For double, float and std::uint8_t.
  template <class Value>
  void add(const Value* values, const std::vector<std::int64_t>& rows);
  /// Adds the rows of `later`. The order of calls decides the last bits. Source: Chan, Golub and LeVeque, "Updating
  /// Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
  void join(const FeatureMoments& later);
  /// The moments of groups of features, each as if it were one: feature f belongs to group group_of[f], and all groups
  /// have as many features.
  FeatureMoments pooled(const std::vector<std::int64_t>& group_of, std::int64_t groups) const;

  /// As plain numbers and back, to be sent.
  const std::vector<double>& numbers() const { return numbers_; }
  static FeatureMoments of_numbers(std::vector<double> numbers, std::int64_t count);

  std::int64_t count() const { return count_; }
  std::int64_t features() const { return static_cast<std::int64_t>(numbers_.size() / 4); }
  double mean(std::int64_t feature) const { return numbers_[static_cast<std::size_t>(feature)]; }
  double squares(std::int64_t feature) const { return at(1, feature); }  ///< of the distances to the mean, summed
  double least(std::int64_t feature) const { return at(2, feature); }
  double greatest(std::int64_t feature) const { return at(3, feature); }

 private:
  double at(std::int64_t quantity, std::int64_t feature) const {
    return numbers_[static_cast<std::size_t>(quantity * features() + feature)];
  }
  std::int64_t count_ = 0;
  std::vector<double> numbers_;  // [mean, squares, least, greatest][feature]
};

/// A feature becomes (value - shift) / divisor.
struct RowScaling {
  std::vector<double> shift, divisor;
};

/// standard: mean 0 and (population) standard deviation 1; minmax: 0..1. What is constant is only shifted. Source:
/// scikit-learn's StandardScaler and MinMaxScaler.
RowScaling scaling_of(const FeatureMoments& moments, Normalize normalize);

}  // namespace sheaf
