// SPDX-License-Identifier: MIT
#include "study/losses.hpp"

#include <algorithm>
#include <string>

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
  if (const Metric* const found = find_metric(study.search.metric)) return *found;
  const Task task = study.data.task;
  const auto& keys = study.search.keys;
  const auto searched =
      std::find_if(keys.begin(), keys.end(), [](const SearchedKey& key) { return key.key == "train.loss"; });
  if (searched == keys.end()) return default_metric(task, study.train.loss);
  const auto metric_for = [task](const std::string& loss) -> const Metric& {
    Study trial;
    apply_setting(trial, "train.loss", loss);
    return default_metric(task, trial.train.loss);
  };
  const Metric& first = metric_for(searched->candidates.front());
  const bool is_shared = std::all_of(searched->candidates.begin(), searched->candidates.end(),
                                     [&](const std::string& loss) { return &metric_for(loss) == &first; });
  return is_shared ? first : default_metric(task);
}

}  // namespace sheaf
