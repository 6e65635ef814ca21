// SPDX-License-Identifier: MIT
#include "training/metrics/metric_table.hpp"

#include <algorithm>
#include <stdexcept>

#include "study/study.hpp"
#include "training/metrics/accuracy.hpp"
#include "training/metrics/r2.hpp"

namespace sheaf {

const std::vector<Metric>& metric_table() {
  static const std::vector<Metric> metrics = {accuracy(), r2()};
  return metrics;
}

const Metric& default_metric(Task task) {
  const auto& metrics = metric_table();
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [task](const Metric& metric) { return metric.task == task; });
  if (found == metrics.end()) throw std::logic_error("the task is not settled");
  return *found;
}

const Metric& score_metric(const Study& study) {
  const auto& metrics = metric_table();
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == study.search.metric; });
  return found == metrics.end() ? default_metric(study.data.task) : *found;
}

}  // namespace sheaf
