// SPDX-License-Identifier: MIT
#include "study/settled_study.hpp"

#include <stdexcept>
#include <utility>

#include "study/settings_table.hpp"

namespace sheaf {

std::optional<std::string> unsettled_key(const Study& study) {
  const std::pair<const char*, bool> keys[] = {
      {"data.mode", study.data.mode == automatic},
      {"data.task", study.data.task == automatic},
      {"data.normalize", study.data.normalize == automatic},
      {"data.normalize_targets", study.data.normalize_targets == automatic && study.data.task == Task::regression},
      {"model.kind", study.model.kind == automatic},
      {"train.loss", study.train.loss == automatic},
      {"search.method", study.search.method == automatic},
      {"search.ensemble", study.search.ensemble == automatic},
      {"run.engine", study.run.engine == automatic},
      {"run.curves", !study.run.curves},
      {"run.models", study.run.models == automatic},
      {"run.predictions", study.run.predictions == automatic},
      {"run.stack", !study.run.stack}};
  for (const auto& [key, is_auto] : keys)
    if (is_auto && !is_searched(study, key)) return key;
  return std::nullopt;
}

SettledStudy::SettledStudy(Study study) : study_(std::move(study)) {
  if (const auto key = unsettled_key(study_)) throw std::logic_error("the study is not settled: " + *key + " = auto");
}

}  // namespace sheaf
