// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "study/settled_study.hpp"

namespace sheaf::test {

/// The study, with a value of each key that settled_study() settles: data in memory, no curves, predictions and
/// ensemble, saved models and run.engine = by_model, and no stacks.
inline SettledStudy settled(Study study) {
  if (study.data.mode == DataMode::automatic) study.data.mode = DataMode::memory;
  if (study.search.ensemble == EnsembleKind::automatic) study.search.ensemble = EnsembleKind::none;
  if (study.run.engine == EngineKind::automatic) study.run.engine = EngineKind::by_model;
  if (!study.run.curves) study.run.curves = false;
  if (study.run.models == ModelsSaved::automatic) study.run.models = ModelsSaved::best;
  if (study.run.predictions == PredictionsKept::automatic) study.run.predictions = PredictionsKept::none;
  if (!study.run.stack) study.run.stack = StackSize{};
  return SettledStudy(std::move(study));
}

}  // namespace sheaf::test
