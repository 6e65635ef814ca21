// SPDX-License-Identifier: MIT
#include "training/metrics/metric_table.hpp"

#include <algorithm>

#include "training/metrics/accuracy.hpp"
#include "training/metrics/r2.hpp"

namespace sheaf {

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> metrics = {accuracy(), r2()};
  return metrics;
}

const Metric& default_metric(Task task) {
  const auto& metrics = metric_table();
  return *std::find_if(metrics.begin(), metrics.end(), [task](const Metric& metric) { return metric.task == task; });
}

const Metric* find_metric(std::string_view name) {
  const auto& metrics = metric_table();
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [name](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

}  // namespace sheaf
