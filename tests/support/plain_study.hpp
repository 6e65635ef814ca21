// A study in which every key has a value, as after with_data_defaults(): one linear model, trained with SGD.
// SPDX-License-Identifier: MIT
#pragma once

#include "study/study.hpp"

namespace sheaf::test {

inline DataOptions plain_data() {
  DataOptions data;
  data.normalize = Normalize::none;
  data.normalize_targets = NormalizeTargets::none;
  data.validation = 0;
  return data;
}

inline ModelOptions plain_model() {
  ModelOptions model;
  model.kind = ModelKind::linear;
  return model;
}

inline TrainOptions plain_training() {
  TrainOptions train;
  train.epochs = 10;
  train.optimizer = OptimizerKind::sgd;
  train.learning_rate = 1e-2;
  return train;
}

inline Study plain_study() {
  Study study;
  study.data = plain_data();
  study.model = plain_model();
  study.train = plain_training();
  study.search.method = SearchMethod::none;
  study.run.curves = false;
  study.run.models = ModelsSaved::none;
  return study;
}

}  // namespace sheaf::test
