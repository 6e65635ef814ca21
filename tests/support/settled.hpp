// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "study/settled_study.hpp"

namespace sheaf::test {

/// The study, with a value of each key that is `auto`, of those in unsettled_key(): an mlp for classification, unscaled
/// data in memory, no curves, predictions and ensemble, saved models and run.engine = by_model, and no stacks.
inline SettledStudy settled(Study study) {
  if (study.data.task == automatic) study.data.task = Task::classification;
  if (study.data.normalize == automatic) study.data.normalize = Normalize::none;
  if (study.data.normalize_targets == automatic) study.data.normalize_targets = NormalizeTargets::none;
  if (study.model.kind == automatic) study.model.kind = ModelKind::mlp;
  if (study.train.loss == automatic) study.train.loss = default_loss(study.data.task);
  if (study.data.mode == automatic) study.data.mode = DataMode::memory;
  if (study.search.method == automatic) study.search.method = SearchMethod::none;
  if (study.search.ensemble == automatic) study.search.ensemble = EnsembleKind::none;
  if (study.run.engine == automatic) study.run.engine = EngineKind::by_model;
  if (!study.run.curves) study.run.curves = false;
  if (study.run.models == automatic) study.run.models = ModelsSaved::best;
  if (study.run.predictions == automatic) study.run.predictions = PredictionsKept::none;
  if (!study.run.stack) study.run.stack = StackSize{};
  return SettledStudy(std::move(study));
}

}  // namespace sheaf::test
