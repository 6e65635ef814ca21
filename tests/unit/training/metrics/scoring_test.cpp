// SPDX-License-Identifier: MIT
#include "training/metrics/scoring.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("probabilities of rows that are computed together equal those of single classes, bit by bit") {
  constexpr std::int64_t rows = 50, width = 7;
  std::vector<float> outputs;
  for (std::int64_t index = 0; index < rows * width; ++index)
    outputs.push_back(static_cast<float>(20 * std::sin(1.3 * static_cast<double>(index))));
  for (const LossKind loss : {LossKind::cross_entropy, LossKind::bce, LossKind::mse})
    for (const bool probabilities : {false, true}) {
      const Scoring scoring{Task::classification, loss, probabilities, width};
      RowProbabilities together;
      together.compute(scoring, outputs.data(), rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        const float* const of_row = outputs.data() + row * width;
        const RowScale scale = row_scale(scoring, of_row);
        CHECK((together.scale(row).largest == scale.largest && together.scale(row).sum == scale.sum));
        for (std::int64_t label = 0; label < width; ++label)
          CHECK(together.of(row)[label] == class_probability(scoring, of_row, scale, label));
      }
    }
}
