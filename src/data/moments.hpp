// Computes means, deviations and extremes of features for scaling, from blocks of rows whose results are joined.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "study/data_options.hpp"

namespace sheaf {

/// The moments and extremes of each feature over the rows added so far.
class FeatureMoments {
 public:
  explicit FeatureMoments(std::int64_t features);

  /// The recommended number of rows per call of add(): enough for accuracy, few enough to fit into a cache.
  std::int64_t rows_at_once() const;
  /// Adds the given rows of `values`, [rows, features]; skips NaN; other values must be finite. Computes the mean of
  /// the rows, then the squared distances to it (accurate also for large means), and joins the result as join() does.
  /// `Value` is double, float or std::uint8_t.
  template <class Value>
  void add(const Value* values, const std::vector<std::int64_t>& rows);
  /// Adds the rows of `later`. The last bits depend on the order of calls. Source: Chan, Golub and LeVeque, "Updating
  /// Formulae and a Pairwise Algorithm for Computing Sample Variances" (1979).
  void join(const FeatureMoments& later);
  /// The moments of groups of features, with the values of a group pooled. Feature f belongs to group group_of[f]. All
  /// groups must have the same number of features.
  FeatureMoments pooled(const std::vector<std::int64_t>& group_of, std::int64_t groups) const;

  /// Conversion to plain numbers, number_count for each feature, to send them to other ranks, and back.
  static constexpr std::int64_t number_count = 5;
  const std::vector<double>& numbers() const { return numbers_; }
  static FeatureMoments of_numbers(std::vector<double> numbers);

  std::int64_t features() const { return static_cast<std::int64_t>(numbers_.size()) / number_count; }
  /// The number of values that are not NaN.
  double count(std::int64_t feature) const { return at(0, feature); }
  double mean(std::int64_t feature) const { return at(1, feature); }
  double squares(std::int64_t feature) const { return at(2, feature); }  ///< sum of squared distances to the mean
  /// infinity and -infinity without values.
  double least(std::int64_t feature) const { return at(3, feature); }
  double greatest(std::int64_t feature) const { return at(4, feature); }

 private:
  double at(std::int64_t quantity, std::int64_t feature) const {
    return numbers_[static_cast<std::size_t>(quantity * features() + feature)];
  }
  std::vector<double> numbers_;  // [count, mean, squares, least, greatest][feature]
};

/// Scaling of features: (value - shift) / divisor.
struct RowScaling {
  std::vector<double> shift, divisor;
};

/// standard: mean 0 and (population) standard deviation 1; minmax: range 0 to 1. Constant features are only shifted,
/// features without values by 0. Source: scikit-learn's StandardScaler and MinMaxScaler.
RowScaling scaling_of(const FeatureMoments& moments, Normalize normalize);

}  // namespace sheaf
