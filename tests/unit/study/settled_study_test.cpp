// SPDX-License-Identifier: MIT
#include "study/settled_study.hpp"

#include <functional>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/settled.hpp"

using namespace sheaf;

TEST_CASE("a settled study has a value of every key that a run settles") {
  const SettledStudy study = test::settled({});
  CHECK(study.mode() == DataMode::memory);
  CHECK(study.ensemble() == EnsembleKind::none);
  CHECK(study.engine() == EngineKind::by_model);
  CHECK(study.curves() == false);
  CHECK(study.models() == ModelsSaved::best);
  CHECK(study.predictions() == PredictionsKept::none);
  CHECK(study->run.curves == false);
}

TEST_CASE("a study with a key that is not settled is refused") {
  const auto refused = [](const std::function<void(Study&)>& change) {
    Study study = test::settled({});
    change(study);
    CHECK_THROWS_AS(SettledStudy(study), std::logic_error);
  };
  refused([](Study& study) { study.data.mode = DataMode::automatic; });
  refused([](Study& study) { study.search.ensemble = EnsembleKind::automatic; });
  refused([](Study& study) { study.run.engine = EngineKind::automatic; });
  refused([](Study& study) { study.run.curves.reset(); });
  refused([](Study& study) { study.run.stack.reset(); });
  refused([](Study& study) { study.run.models = ModelsSaved::automatic; });
  refused([](Study& study) { study.run.predictions = PredictionsKept::automatic; });
}
