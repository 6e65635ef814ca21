// SPDX-License-Identifier: MIT
#include "study/losses.hpp"

#include "study/settings.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

constexpr bool is_in_order() {
  for (std::size_t index = 0; index < loss_table.size(); ++index)
    if (loss_table[index].kind != static_cast<LossKind>(index)) return false;
  return loss_table.size() == static_cast<std::size_t>(LossKind::automatic);
}
static_assert(is_in_order());

}  // namespace

const Metric& default_metric(Task task, LossKind loss) {
  const bool knows = task == Task::regression && loss != LossKind::automatic;
  return knows ? metric_of(loss_of(loss).regression_metric) : default_metric(task);
}

const Metric& score_metric(const Study& study) {
  const Metric* const found = find_metric(study.search.metric);
  if (found != nullptr) return *found;
  return is_searched(study, "train.loss") ? default_metric(study.data.task)
                                          : default_metric(study.data.task, study.train.loss);
}

}  // namespace sheaf
