// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"

#include <algorithm>
#include <cassert>

namespace sheaf {
namespace {

double accuracy(const std::vector<float>& predictions, const DataSet& data, const RowSet& rows) {
  std::int64_t right = 0;
  auto row_predictions = predictions.begin();
  rows.for_each([&](std::int64_t row) {
    const auto end = row_predictions + data.output_count;
    right += std::max_element(row_predictions, end) - row_predictions == data.labels[row] ? 1 : 0;
    row_predictions = end;
  });
  return static_cast<double>(right) / static_cast<double>(rows.count());
}

double r2_of_output(const std::vector<float>& predictions, const DataSet& data, const RowSet& rows,
                    std::int64_t output) {
  const auto target = [&](std::int64_t row) {
    return static_cast<double>(data.targets[row * data.output_count + output]);
  };
  double mean = 0;
  rows.for_each([&](std::int64_t row) { mean += target(row); });
  mean /= static_cast<double>(rows.count());
  double residual = 0, total = 0;
  const float* prediction = predictions.data() + output;
  rows.for_each([&](std::int64_t row) {
    const double predicted = static_cast<double>(*prediction);
    residual += (target(row) - predicted) * (target(row) - predicted);
    total += (target(row) - mean) * (target(row) - mean);
    prediction += data.output_count;
  });
  if (total == 0) return residual == 0 ? 1 : 0;
  return 1 - residual / total;
}

}  // namespace

double prediction_score(const std::vector<float>& predictions, const DataSet& data, const RowSet& rows) {
  assert(!rows.empty() && static_cast<std::int64_t>(predictions.size()) == rows.count() * data.output_count);
  if (data.task == Task::classification) return accuracy(predictions, data, rows);
  double sum = 0;
  for (std::int64_t output = 0; output < data.output_count; ++output)
    sum += r2_of_output(predictions, data, rows, output);
  return sum / static_cast<double>(data.output_count);
}

}  // namespace sheaf
