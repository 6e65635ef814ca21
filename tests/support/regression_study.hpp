// A study whose task and loss are settled, for code that runs after settle_data_defaults().
// SPDX-License-Identifier: MIT
#pragma once

#include "study/study.hpp"
#include "support/plain_study.hpp"

namespace sheaf::test {

inline Study regression_study() {
  Study study = test::plain_study();
  study.data.task = Task::regression;
  study.train.loss = LossKind::mse;
  return study;
}

}  // namespace sheaf::test
