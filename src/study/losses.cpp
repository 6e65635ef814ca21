// SPDX-License-Identifier: MIT
#include "study/losses.hpp"

#include <algorithm>
#include <vector>

#include "core/text.hpp"

namespace sheaf {

const Loss* find_loss(std::string_view name) {
  const auto* const found =
      std::find_if(loss_table.begin(), loss_table.end(), [&](const Loss& loss) { return loss.name == name; });
  return found == loss_table.end() ? nullptr : &*found;
}

std::string names_of_tree_losses() {
  std::vector<std::string> names;
  for (const Loss& loss : loss_table)
    if (loss.fits_trees()) names.emplace_back(loss.name);
  return listed(names);
}

LossKind default_loss(Task task) {
  if (task == Task::multilabel) return LossKind::bce;
  return task == Task::classification ? LossKind::cross_entropy : LossKind::mse;
}

const Metric& default_metric(Task task, AutoOr<LossKind> loss) {
  const bool knows = task == Task::regression && loss != automatic;
  return knows ? metric_of(loss_of(loss).regression_metric) : default_metric(task);
}

}  // namespace sheaf
