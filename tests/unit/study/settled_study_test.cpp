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
  refused([](Study& study) { study.data.mode = automatic; });
  refused([](Study& study) { study.data.task = automatic; });
  refused([](Study& study) { study.data.normalize = automatic; });
  refused([](Study& study) {
    study.data.task = Task::regression;
    study.data.normalize_targets = automatic;
  });
  refused([](Study& study) { study.model.kind = automatic; });
  refused([](Study& study) { study.train.loss = automatic; });
  refused([](Study& study) { study.search.ensemble = automatic; });
  refused([](Study& study) { study.run.engine = automatic; });
  refused([](Study& study) { study.run.curves.reset(); });
  refused([](Study& study) { study.run.stack.reset(); });
  refused([](Study& study) { study.run.models = automatic; });
  refused([](Study& study) { study.run.predictions = automatic; });
}

TEST_CASE("a key that is searched, or that has no effect, may be auto in a settled study") {
  Study study = test::settled({});
  study.data.task = Task::classification;
  study.data.normalize_targets = automatic;
  CHECK_NOTHROW(SettledStudy(study));
  study.train.loss = automatic;
  CHECK(unsettled_key(study) == "train.loss");
  study.search.keys = {{"train.loss", {"cross_entropy", "bce"}}};
  CHECK(unsettled_key(study) == std::nullopt);
}

TEST_CASE("a key with `auto` is read as its value only when it has one") {
  AutoOr<LossKind> loss;
  CHECK(loss == automatic);
  CHECK(loss != LossKind::mse);
  CHECK(loss.value_or(LossKind::mae) == LossKind::mae);
  CHECK_THROWS_AS(static_cast<LossKind>(loss), std::logic_error);
  loss = LossKind::mse;
  CHECK(loss != automatic);
  CHECK(loss == LossKind::mse);
  CHECK(LossKind::mae != loss);
  CHECK(static_cast<LossKind>(loss) == LossKind::mse);
}
