// SPDX-License-Identifier: MIT
#include "training/metrics/score.hpp"

#include <cassert>
#include <cstdint>

#include "training/metrics/predicted_label.hpp"

namespace sheaf {
namespace {

constexpr std::int64_t block_rows = 1024;

}  // namespace

double prediction_score(const Metric& metric, const std::vector<float>& predictions, const DataSet& data,
                        const RowSet& rows) {
  const std::int64_t width = data.output_count;
  assert(metric.task == data.task && !rows.empty());
  assert(static_cast<std::int64_t>(predictions.size()) == rows.count() * width);
  const auto accumulator = metric.make_accumulator(width);
  const float* outputs = predictions.data();
  std::int64_t count = 0;
  std::vector<std::int64_t> predicted_labels, labels;
  std::vector<float> targets;
  const auto add_block = [&] {
    accumulator->add({count, outputs, predicted_labels.data(), labels.data(), targets.data()});
    outputs += count * width;
    count = 0;
    predicted_labels.clear();
    labels.clear();
    targets.clear();
  };
  rows.for_each([&](std::int64_t row) {
    if (data.task == Task::classification) {
      predicted_labels.push_back(predicted_label(outputs + count * width, width));
      labels.push_back(data.labels[row]);
    } else {
      targets.insert(targets.end(), data.targets + row * width, data.targets + (row + 1) * width);
    }
    if (++count == block_rows) add_block();
  });
  add_block();
  return accumulator->value();
}

}  // namespace sheaf
