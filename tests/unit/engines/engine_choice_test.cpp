// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <set>
#include <string_view>

#include "core/error.hpp"
#include "models/network_layout.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

Trial trial_of(ModelKind kind) {
  Trial trial;
  trial.model.kind = kind;
  return trial;
}

std::string told(const EngineChoice& choice) {
  return described(choice.engine->name, choice.reason);
}

// A search over kinds of models.
Plan plan_of(const std::vector<std::string>& kinds) {
  Study study;
  study.search.keys = {{"model.kind", kinds}};
  return Plan(study);
}

}  // namespace

TEST_CASE("the native engine trains linear models and mlps on CPUs with one thread") {
  const RunOptions run;
  CHECK(told(choose_engine(trial_of(ModelKind::linear), run, no_gpu)) == "native");
  CHECK(told(choose_engine(trial_of(ModelKind::mlp), run, no_gpu)) == "native");
  CHECK(told(choose_engine(trial_of(ModelKind::cnn), run, no_gpu)) == "torch (a cnn has convolutions)");
  CHECK(told(choose_engine(trial_of(ModelKind::resnet50), run, no_gpu)) == "torch (a resnet has convolutions)");
  CHECK(told(choose_engine(trial_of(ModelKind::torchscript), run, no_gpu)) ==
        "torch (a TorchScript module runs in LibTorch)");
  CHECK(told(choose_engine(trial_of(ModelKind::plugin), run, no_gpu)) == "torch (a plugin runs in LibTorch)");
  CHECK(told(choose_engine(trial_of(ModelKind::mlp), run, 3.04)) ==
        "torch (a GPU is expected to be 3 times as fast as the cores)");
  CHECK(told(choose_engine(trial_of(ModelKind::cnn), run, 3)) == "torch (a cnn has convolutions)");
}

TEST_CASE("the study may want LibTorch, or threads that it alone has") {
  RunOptions run;
  run.threads = 4;
  CHECK(told(choose_engine(trial_of(ModelKind::mlp), run, no_gpu)) == "torch (run.threads = 4)");
  run.engine = EngineKind::torch;
  CHECK(told(choose_engine(trial_of(ModelKind::mlp), run, no_gpu)) == "torch (run.engine = torch)");
}

TEST_CASE("once settled, neither GPUs nor threads change the engine of a trial") {
  RunOptions run;
  run.threads = 4;
  for (const auto engine : {EngineKind::native, EngineKind::by_model}) {
    run.engine = engine;
    CHECK(told(choose_engine(trial_of(ModelKind::mlp), run, 3)) == "native");
    CHECK(engine_of(trial_of(ModelKind::mlp), engine).name == "native");
  }
  CHECK(engine_of(trial_of(ModelKind::cnn), EngineKind::by_model).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::plugin), EngineKind::by_model).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::mlp), EngineKind::torch).name == "torch");
}

TEST_CASE("auto is settled by models, GPUs and threads; what was asked for stays") {
  RunOptions run;
  const Plan dense = plan_of({"linear", "mlp"}), mixed = plan_of({"mlp", "cnn"}), others = plan_of({"cnn", "resnet18"});
  const auto settled = settled_engine;
  const double slower = 0.1, faster = 2;
  for (const double speedup : {no_gpu, slower}) {
    CHECK(settled(dense, run, speedup) == EngineKind::native);
    CHECK(settled(mixed, run, speedup) == EngineKind::by_model);
    CHECK(settled(others, run, speedup) == EngineKind::torch);
  }
  RunOptions on_gpu;
  on_gpu.device = DeviceRequest::cuda;
  for (const Plan* plan : {&dense, &mixed, &others}) {
    CHECK(settled(*plan, run, faster) == EngineKind::torch);
    CHECK(settled(*plan, on_gpu, slower) == EngineKind::torch);
    RunOptions threads;
    threads.threads = 2;
    CHECK(settled(*plan, threads, no_gpu) == EngineKind::torch);
    for (const auto asked : {EngineKind::torch, EngineKind::native, EngineKind::by_model}) {
      threads.engine = asked;
      CHECK(settled(*plan, threads, faster) == asked);
    }
  }
}

TEST_CASE("cores are expected to train small networks faster than a GPU, and it large ones faster than they") {
  const auto speedup_of = [](std::vector<std::int64_t> hidden, std::int64_t batch, std::int64_t cores) {
    Trial trial = trial_of(ModelKind::mlp);
    trial.model.hidden = std::move(hidden);
    trial.train.batch_size = batch;
    const DataShape shape{10000, 64, 10, {}};
    const auto parameters = parameter_count(network_layout(trial.model, shape));
    GpuSpeedup speedup(cores);
    speedup.add(estimate_trial(trial, shape, parameters, shape.rows));
    return speedup.value();
  };
  CHECK(speedup_of({32}, 32, 1) < 0.02);
  CHECK(speedup_of({32}, 32, 16) == Approx(speedup_of({32}, 32, 1) / 16));
  CHECK(speedup_of({4096, 4096, 4096}, 1024, 16) > 10);
}

TEST_CASE("run.engine = native is refused where the native engine cannot train a trial") {
  RunOptions run;
  for (const auto other : {EngineKind::automatic, EngineKind::torch, EngineKind::by_model}) {
    run.engine = other;
    CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), run));
  }
  run.engine = EngineKind::native;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "mlp"}), run));
  CHECK_THROWS_AS(require_engine(plan_of({"mlp", "cnn"}), run), UsageError);
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp", "cnn"}), run),
                    "run.engine = native cannot train trial 1 (a cnn has convolutions). Set run.engine = auto.");
}

TEST_CASE("engines have names of their own, which trainers give, and can be asked for by one value of run.engine") {
  std::set<std::string_view> names;
  std::set<EngineKind> kinds;
  for (const EngineEntry& engine : engine_table()) {
    CHECK(names.insert(engine.name).second);
    CHECK(kinds.insert(engine.asked).second);
    CHECK(engine.name.size() <= ShortText::most_bytes);
    CHECK(&engine_named(engine.name) == &engine);
    CHECK(engine_of(trial_of(ModelKind::linear), engine.asked).name == engine.name);
  }
  CHECK(engine_table().front().make_trainer({-1, 1}, nullptr)->engine() == engine_table().front().name);
}
