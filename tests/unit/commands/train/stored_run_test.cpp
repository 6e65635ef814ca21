// SPDX-License-Identifier: MIT
#include "commands/train/stored_run.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("a resumed run saves models only of the iterations that remain") {
  Study study = test::plain_study(), stored = study;
  study.run.output = "r";
  study.run.models = ModelsSaved::best;
  CHECK(models_warning(study, stored, 5, 3) ==
        "run.models = best applies only to the 3 iterations that remain (5 were trained with run.models = none, and "
        "resume does not train them again). For all models, train the study again with another run.output.");
  CHECK_THROWS_WITH(
      models_warning(study, stored, 8, 0),
      "run.models = best has no effect on 'r' (all of its iterations were trained with run.models = none, "
      "and resume does not train them again). Train the study again: sheaf run r/study.cfg "
      "--run.models=best --run.output=NEW_DIR.");
  CHECK_THROWS_AS(models_warning(study, stored, 8, 0), UsageError);
  CHECK(models_warning(study, stored, 0, 8).empty());  // nothing was trained before
  CHECK(models_warning(stored, study, 8, 0).empty());  // none are saved
  stored.run.models = ModelsSaved::best;
  CHECK(models_warning(study, stored, 8, 0).empty());
}
