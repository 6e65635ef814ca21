// SPDX-License-Identifier: MIT
#include "study/stored_study.hpp"

#include "core/error.hpp"
#include "core/version.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/settled.hpp"

using namespace sheaf;

TEST_CASE("a stored study is a study file with the program's version") {
  Study study;
  study.data.file = "digits.h5";
  study.run.engine = EngineKind::by_model;
  const std::string text = stored_study_text(test::settled(study));
  CHECK(storing_version(text) == program_version());
  CHECK(study_file_text(parse_study_text(text, "study.cfg", {})) == study_file_text(test::settled(study)));
  CHECK_FALSE(storing_version(study_file_text(study)).has_value());
  CHECK_FALSE(storing_version("").has_value());
}

TEST_CASE("a study stored by another version is refused unless forced") {
  constexpr bool forced = true;
  CHECK_NOTHROW(require_this_version(stored_study_text(test::settled({})), "run/study.cfg", !forced));
  CHECK_NOTHROW(require_this_version("[study]\nseed = 1\n", "run/study.cfg", !forced));
  const std::string other = "# Written by sheaf 0.0.9\n[study]\nseed = 1\n";
  CHECK_THROWS_WITH(require_this_version(other, "run/study.cfg", !forced),
                    StartsWith("'run' is a run of sheaf 0.0.9, but this is sheaf " + program_version()));
  CHECK_NOTHROW(require_this_version(other, "run/study.cfg", forced));
  CHECK_THROWS_WITH(require_this_version("", "run/study.cfg", forced), StartsWith("'run/study.cfg' has no keys ("));
}

TEST_CASE("targets of a stored study without data.normalize_targets were not scaled") {
  const std::string text =
      "[data]\nsource = synthetic\nmode = memory\ntask = regression\nnormalize = none\n[model]\nkind = linear\n"
      "[train]\nloss = mse\n[run]\nengine = native\n";
  CHECK(parse_stored_study(text, "run/study.cfg")->data.normalize_targets == NormalizeTargets::none);
}

TEST_CASE("keys that a stored study lacks have the values with which its run was trained") {
  const std::string data =
      "[data]\nsource = synthetic\nmode = memory\ntask = regression\nnormalize = none\nnormalize_targets = none\n"
      "[model]\nkind = linear\n[train]\nloss = mse\n";
  const SettledStudy stored = parse_stored_study(data + "[run]\nengine = native\n", "run/study.cfg");
  CHECK(stored.mode() == DataMode::memory);
  CHECK(stored.engine() == EngineKind::native);
  CHECK(stored.ensemble() == EnsembleKind::none);
  CHECK(stored.curves() == false);
  CHECK(stored.models() == ModelsSaved::none);
  CHECK(stored.predictions() == PredictionsKept::none);
  CHECK_THROWS_WITH(parse_stored_study(data, "run/study.cfg"),
                    StartsWith("'run/study.cfg' does not store how the run was trained (run.engine = auto; "));
}
