// SPDX-License-Identifier: MIT
#include "engine/engine_choice.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

Trial trial_of(ModelKind kind) {
  Trial trial;
  trial.model.kind = kind;
  return trial;
}

// A search over kinds of models.
Plan plan_of(const std::vector<std::string>& kinds) {
  Study study;
  study.search.keys = {{"model.kind", kinds}};
  return Plan(study);
}

}  // namespace

TEST_CASE("the resident engine trains linear models and mlps on CPUs with one thread") {
  const RunOptions run;
  CHECK(torch_reason(trial_of(ModelKind::linear), run, false).empty());
  CHECK(torch_reason(trial_of(ModelKind::mlp), run, false).empty());
  CHECK(torch_reason(trial_of(ModelKind::cnn), run, false) == "a cnn has convolutions");
  CHECK(torch_reason(trial_of(ModelKind::resnet50), run, false) == "a resnet has convolutions");
  CHECK(torch_reason(trial_of(ModelKind::torchscript), run, false) == "a TorchScript module runs in LibTorch");
  CHECK(torch_reason(trial_of(ModelKind::plugin), run, false) == "a plugin runs in LibTorch");
  CHECK(torch_reason(trial_of(ModelKind::mlp), run, true) == "it trains on a GPU");
  CHECK(torch_reason(trial_of(ModelKind::cnn), run, true) == "a cnn has convolutions");
}

TEST_CASE("the study may want LibTorch, or threads that it alone has") {
  RunOptions run;
  run.threads = 4;
  CHECK(torch_reason(trial_of(ModelKind::mlp), run, false) == "run.threads = 4");
  run.engine = EngineKind::torch;
  CHECK(torch_reason(trial_of(ModelKind::mlp), run, false) == "run.engine = torch");
}

TEST_CASE("run.engine = resident is refused where the resident engine cannot train a trial") {
  RunOptions run;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), run, true));
  run.engine = EngineKind::torch;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), run, true));
  run.engine = EngineKind::resident;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "mlp"}), run, false));
  CHECK_THROWS_AS(require_engine(plan_of({"mlp", "cnn"}), run, false), UsageError);
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp", "cnn"}), run, false),
                    "run.engine = resident cannot train trial 1 (a cnn has convolutions). Set run.engine = auto.");
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp"}), run, true),
                    "run.engine = resident cannot train trial 0 (it trains on a GPU). Set run.device = cpu or "
                    "run.engine = auto.");
}
