// SPDX-License-Identifier: MIT
#include "study/settled_study.hpp"

#include <stdexcept>
#include <utility>

namespace sheaf {

SettledStudy::SettledStudy(Study study) : study_(std::move(study)) {
  const bool has_all = study_.data.mode != DataMode::automatic && study_.search.ensemble != EnsembleKind::automatic &&
                       study_.run.engine != EngineKind::automatic && study_.run.curves &&
                       study_.run.models != ModelsSaved::automatic &&
                       study_.run.predictions != PredictionsKept::automatic && study_.run.stack;
  if (!has_all) throw std::logic_error("the study is not settled");
}

}  // namespace sheaf
