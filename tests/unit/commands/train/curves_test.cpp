// SPDX-License-Identifier: MIT
#include "commands/train/curves.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("curves of more epochs than can be gathered are refused") {
  Study study;
  study.study.iterations = 2147483647;
  study.train.epochs = 1;
  CHECK_NOTHROW(require_countable_epochs(Plan(study)));
  study.train.epochs = 2;
  CHECK_THROWS_AS(require_countable_epochs(Plan(study)), UsageError);
  study.search.keys = {{"train.epochs", {"1", "9223372036854775807"}}};
  study.study.iterations = 1;
  CHECK_THROWS_WITH(require_countable_epochs(Plan(study)),
                    StartsWith("run.curves = true would keep 9.223e+18 epochs (more than 2147483647 "));
}
