// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <set>
#include <string_view>

#include "core/error.hpp"
#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Trial trial_of(ModelKind kind) {
  Trial trial;
  trial.model.kind = kind;
  return trial;
}

const DataShape rows{10000, 64, 10, {}};

// `speedup` of the GPUs, if there are any.
std::string told(const Trial& trial, const RunOptions& run, double speedup, LaneDevice device = core_lane) {
  const EngineChoice choice = choose_engine(trial, rows, run, speedup, device);
  return described(choice.engine->name, choice.reason);
}

EngineKind settled(const Plan& plan, const RunOptions& run, double speedup,
                   const std::vector<LaneDevice>& devices = {gpu_lane, core_lane}) {
  return settled_engine(plan, rows, run, speedup, devices);
}

// A search over kinds of models.
Plan plan_of(const std::vector<std::string>& kinds) {
  Study study;
  study.search.keys = {{"model.kind", kinds}};
  return test::whole_plan(study);
}

}  // namespace

TEST_CASE("the native engine trains linear models and mlps on CPUs with one thread") {
  const RunOptions run;
  CHECK(told(trial_of(ModelKind::linear), run, no_gpu) == "native");
  CHECK(told(trial_of(ModelKind::mlp), run, no_gpu) == "native");
  CHECK(told(trial_of(ModelKind::cnn), run, no_gpu) == "torch (a cnn has convolutions)");
  CHECK(told(trial_of(ModelKind::resnet50), run, no_gpu) == "torch (a resnet has convolutions)");
  CHECK(told(trial_of(ModelKind::torchscript), run, no_gpu) == "torch (a TorchScript module runs in LibTorch)");
  CHECK(told(trial_of(ModelKind::plugin), run, no_gpu) == "torch (a plugin runs in LibTorch)");
}

TEST_CASE("each kind of lane is told why it trains by LibTorch what the native engine could train") {
  RunOptions run;
  const Trial mlp = trial_of(ModelKind::mlp), cnn = trial_of(ModelKind::cnn);
  CHECK(told(mlp, run, 3.04, gpu_lane) == "torch (a GPU is expected to be 3 times as fast as the cores)");
  CHECK(told(mlp, run, 3.04, core_lane) == "torch (chosen for the lanes with a GPU)");
  for (const LaneDevice device : {gpu_lane, core_lane}) {
    CHECK(told(mlp, run, 0.5, device) == "native");
    CHECK(told(cnn, run, 3, device) == "torch (a cnn has convolutions)");
  }
  run.device = DeviceRequest::cuda;
  CHECK(told(mlp, run, 0.5, gpu_lane) == "torch (run.device = cuda)");
  CHECK(told(mlp, run, 0.5, core_lane) == "torch (chosen for the lanes with a GPU)");
}

TEST_CASE("an engine refuses what it cannot train by trial, data and device") {
  const RunOptions run;
  Trial trial = trial_of(ModelKind::mlp);
  const DataShape wide{10, std::int64_t{1} << 31, 10, {}}, many_classes{10, 64, std::int64_t{1} << 31, {}};
  const auto reason_of = [&](const DataShape& shape) {
    return choose_engine(trial, shape, run, no_gpu, core_lane).reason.value_or("");
  };
  CHECK(reason_of(rows).empty());
  CHECK(reason_of(wide) == "a row has more than 2147483647 features");
  CHECK(reason_of(many_classes) == "a row has more than 2147483647 outputs");
  CHECK(has_core_engine(trial, rows));
  CHECK_FALSE(has_core_engine(trial, wide));
  trial.train.precision = Precision::tf32;
  CHECK_FALSE(has_core_engine(trial, rows));
  CHECK(told(trial, run, no_gpu, gpu_lane) == "torch (train.precision = tf32)");
  const EngineChoice on_cores = choose_engine(trial, rows, run, no_gpu, core_lane);
  CHECK(on_cores.engine == nullptr);
  CHECK(on_cores.reason.value_or("") == "train.precision = tf32 needs a GPU");
}

TEST_CASE("the study may want LibTorch, or threads that it alone has") {
  RunOptions run;
  run.threads = 4;
  CHECK(told(trial_of(ModelKind::mlp), run, no_gpu) == "torch (run.threads = 4)");
  run.engine = EngineKind::torch;
  CHECK(told(trial_of(ModelKind::mlp), run, no_gpu) == "torch (run.engine = torch)");
}

TEST_CASE("once settled, neither GPUs nor threads change the engine of a trial") {
  RunOptions run;
  run.threads = 4;
  for (const auto engine : {EngineKind::native, EngineKind::by_model}) {
    run.engine = engine;
    CHECK(told(trial_of(ModelKind::mlp), run, 3, gpu_lane) == "native");
    CHECK(engine_of(trial_of(ModelKind::mlp), rows, engine, gpu_lane).name == "native");
  }
  CHECK(engine_of(trial_of(ModelKind::cnn), rows, EngineKind::by_model, gpu_lane).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::plugin), rows, EngineKind::by_model, gpu_lane).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::mlp), rows, EngineKind::torch, gpu_lane).name == "torch");
}

TEST_CASE("auto is settled by models, GPUs and threads; what was asked for stays") {
  RunOptions run;
  const Plan dense = plan_of({"linear", "mlp"}), mixed = plan_of({"mlp", "cnn"}), others = plan_of({"cnn", "resnet18"});
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
    const auto parameters = parameter_count(network_layout(trial.model, rows));
    GpuSpeedup speedup(rows, cores);
    speedup.add(trial, estimate_trial(trial, rows, parameters, rows.rows));
    return speedup.value();
  };
  CHECK(speedup_of({32}, 32, 1) < 0.02);
  CHECK(speedup_of({32}, 32, 16) == Approx(speedup_of({32}, 32, 1) / 16));
  CHECK(speedup_of({4096, 4096, 4096}, 1024, 16) > 10);
}

TEST_CASE("an engine expects more threads to be faster, and a GPU to take large networks only") {
  const EngineEntry &native = engine_named(native_engine_name), &torch = engine_named(torch_engine_name);
  TrialEstimate small, large;
  small.steps = large.steps = 100;
  small.flops = 1e7;
  large.flops = 1e13;
  CHECK(torch.expected_seconds(large, {-1, 8}) < torch.expected_seconds(large, core_lane) / 4);
  CHECK(torch.expected_seconds(large, gpu_lane) < torch.expected_seconds(large, {-1, 8}));
  CHECK(torch.expected_seconds(small, core_lane) < torch.expected_seconds(small, gpu_lane));
  CHECK(native.expected_seconds(small, core_lane) < torch.expected_seconds(small, core_lane) / 10);
  CHECK(native.expected_seconds(large, gpu_lane) == native.expected_seconds(large, core_lane));
}

TEST_CASE("run.engine = native is refused where the native engine cannot train a trial") {
  RunOptions run;
  const std::vector<LaneDevice> both = {gpu_lane, core_lane};
  for (const auto other : {EngineKind::automatic, EngineKind::torch, EngineKind::by_model}) {
    run.engine = other;
    CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), rows, run, both));
  }
  run.engine = EngineKind::native;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "mlp"}), rows, run, both));
  CHECK_THROWS_AS(require_engine(plan_of({"mlp", "cnn"}), rows, run, both), UsageError);
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp", "cnn"}), rows, run, both),
                    "run.engine = native cannot train trial 1 (a cnn has convolutions). Set run.engine = auto.");
}

TEST_CASE("what no engine can train on a device of the job is refused") {
  Study study;
  study.train.precision = Precision::tf32;
  const Plan plan(study);
  CHECK(settled(plan, study.run, 2) == EngineKind::torch);
  for (const auto engine : {EngineKind::automatic, EngineKind::torch, EngineKind::by_model}) {
    study.run.engine = engine;
    CHECK_NOTHROW(require_engine(plan, rows, study.run, {gpu_lane}));
    CHECK_THROWS_AS(require_engine(plan, rows, study.run, {gpu_lane, core_lane}), RunError);
    CHECK_THROWS_WITH(require_engine(plan, rows, study.run, {gpu_lane, core_lane}),
                      "trial 0 cannot be trained on CPU cores (train.precision = tf32 needs a GPU). Change its "
                      "settings, or set run.device = cuda to learn why a rank has no GPU.");
  }
}

TEST_CASE("engines have names of their own, which trainers give, and can be asked for by one value of run.engine") {
  std::set<std::string_view> names;
  std::set<EngineKind> kinds;
  for (const EngineEntry& engine : engine_table()) {
    CHECK(names.insert(engine.name).second);
    CHECK(kinds.insert(engine.asked).second);
    CHECK(engine.name.size() <= ShortText::most_bytes);
    CHECK(&engine_named(engine.name) == &engine);
    CHECK(engine_of(trial_of(ModelKind::linear), rows, engine.asked, gpu_lane).name == engine.name);
  }
  CHECK(engine_table().front().make_trainer({-1, 1}, nullptr)->engine() == engine_table().front().name);
}
