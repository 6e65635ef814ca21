// The computation of metrics (study/metrics.hpp).
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "study/metrics.hpp"

namespace sheaf {

/// Rows with the outputs of a model. The arrays belong to the caller.
struct ScoredRows {
  std::int64_t count = 0;
  const float* outputs = nullptr;  ///< [count, outputs]: values (regression), or logits or probabilities of classes
  const std::int64_t* predicted_labels = nullptr;  ///< [count], predicted_label() of each row; classification only
  const std::int64_t* labels = nullptr;            ///< [count], each in 0..outputs-1; classification only
  const float* targets = nullptr;                  ///< [count, outputs]; regression only
};

/// Computes one metric over any number of rows, in constant memory. Its state is a list of numbers, which ranks can
/// send to each other. The length of the list depends only on the metric and the number of outputs. Not shared between
/// threads.
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

/// Returns an accumulator without rows, for outputs [rows, output_count].
std::unique_ptr<Accumulator> make_accumulator(MetricKind metric, std::int64_t output_count);

}  // namespace sheaf
