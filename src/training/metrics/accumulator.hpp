// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "training/metrics/scored_rows.hpp"

namespace sheaf {

/// Computes a pointwise metric over any number of rows, in constant memory. Its state is a list of numbers, which ranks
/// can send to each other. The length of the list depends only on the metric and the number of outputs. Not shared
/// between threads.
class Accumulator {
 public:
  virtual ~Accumulator() = default;

  /// Adds rows. The state does not depend on how the rows are divided into calls. Call it with many rows at a time: it
  /// is virtual.
  virtual void add(const ScoredRows& rows) = 0;

  /// Adds the rows of `later`, an accumulator of the same metric and number of outputs, which come after the rows so
  /// far. Equal to add() of the same rows up to rounding.
  virtual void append(const Accumulator& later) = 0;

  /// The metric over all rows so far. Requires at least one row.
  virtual double value() const = 0;

  const std::vector<double>& numbers() const { return numbers_; }

  /// Replaces the state with the numbers() of another accumulator of the same metric and number of outputs.
  void set_numbers(const double* numbers) { std::copy_n(numbers, numbers_.size(), numbers_.begin()); }

 protected:
  /// All numbers are 0, which means no rows.
  explicit Accumulator(std::size_t number_count) : numbers_(number_count) {}

  std::vector<double> numbers_;
};

}  // namespace sheaf
