// SPDX-License-Identifier: MIT
#include "training/metrics/accuracy.hpp"

namespace sheaf {
namespace {

class AccuracyAccumulator : public Accumulator {
  enum Index : std::size_t { row_count, right_count, number_count };  // of `numbers_`

 public:
  AccuracyAccumulator() : Accumulator(number_count) {}

  void add(const ScoredRows& rows) override {
    std::int64_t right = 0;
    for (std::int64_t row = 0; row < rows.count; ++row) right += rows.predicted_labels[row] == rows.labels[row] ? 1 : 0;
    numbers_[row_count] += static_cast<double>(rows.count);
    numbers_[right_count] += static_cast<double>(right);
  }

  void append(const Accumulator& later) override {
    for (std::size_t index = 0; index < number_count; ++index) numbers_[index] += later.numbers()[index];
  }

  double value() const override { return numbers_[right_count] / numbers_[row_count]; }
};

}  // namespace

std::unique_ptr<Accumulator> make_accuracy() {
  return std::make_unique<AccuracyAccumulator>();
}

}  // namespace sheaf
