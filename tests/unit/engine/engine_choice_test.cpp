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

TEST_CASE("once settled, neither GPUs nor threads change the engine of a trial") {
  RunOptions run;
  run.threads = 4;
  for (const auto engine : {EngineKind::resident, EngineKind::by_model}) {
    run.engine = engine;
    CHECK(torch_reason(trial_of(ModelKind::mlp), run, true).empty());
    CHECK(engine_of(trial_of(ModelKind::mlp), engine) == TrainedBy::resident);
  }
  CHECK(engine_of(trial_of(ModelKind::cnn), EngineKind::by_model) == TrainedBy::torch);
  CHECK(engine_of(trial_of(ModelKind::plugin), EngineKind::by_model) == TrainedBy::torch);
  CHECK(engine_of(trial_of(ModelKind::mlp), EngineKind::torch) == TrainedBy::torch);
}

TEST_CASE("auto is settled by models, GPUs and threads; what was asked for stays") {
  RunOptions run;
  const Plan dense = plan_of({"linear", "mlp"}), mixed = plan_of({"mlp", "cnn"}), others = plan_of({"cnn", "resnet18"});
  CHECK(settled_engine(dense, run, false) == EngineKind::resident);
  CHECK(settled_engine(mixed, run, false) == EngineKind::by_model);
  CHECK(settled_engine(others, run, false) == EngineKind::torch);
  for (const Plan* plan : {&dense, &mixed, &others}) {
    CHECK(settled_engine(*plan, run, true) == EngineKind::torch);
    RunOptions threads;
    threads.threads = 2;
    CHECK(settled_engine(*plan, threads, false) == EngineKind::torch);
    for (const auto asked : {EngineKind::torch, EngineKind::resident, EngineKind::by_model}) {
      threads.engine = asked;
      CHECK(settled_engine(*plan, threads, true) == asked);
    }
  }
}

TEST_CASE("run.engine = resident is refused where the resident engine cannot train a trial") {
  RunOptions run;
  for (const auto other : {EngineKind::automatic, EngineKind::torch, EngineKind::by_model}) {
    run.engine = other;
    CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), run));
  }
  run.engine = EngineKind::resident;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "mlp"}), run));
  CHECK_THROWS_AS(require_engine(plan_of({"mlp", "cnn"}), run), UsageError);
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp", "cnn"}), run),
                    "run.engine = resident cannot train trial 1 (a cnn has convolutions). Set run.engine = auto.");
}
