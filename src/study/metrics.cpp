// SPDX-License-Identifier: MIT
#include "study/metrics.hpp"

#include <algorithm>
#include <stdexcept>

namespace sheaf {
namespace {

template <class Condition>
const Metric* find_first(const Condition& condition) {
  const auto* const found = std::find_if(metric_table.begin(), metric_table.end(), condition);
  return found == metric_table.end() ? nullptr : found;
}

}  // namespace

const Metric* find_metric(std::string_view name) {
  return find_first([name](const Metric& metric) { return metric.name == name; });
}

const Metric& default_metric(Task task) {
  const Metric* const found = find_first([task](const Metric& metric) { return metric.task == task; });
  if (found == nullptr) throw std::logic_error("the task is not settled");
  return *found;
}

}  // namespace sheaf
