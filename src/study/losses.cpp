// SPDX-License-Identifier: MIT
#include "study/losses.hpp"

namespace sheaf {

const Metric& default_metric(Task task, LossKind loss) {
  const bool knows = task == Task::regression && loss != LossKind::automatic;
  return knows ? metric_of(loss_of(loss).regression_metric) : default_metric(task);
}

}  // namespace sheaf
