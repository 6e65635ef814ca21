// SPDX-License-Identifier: MIT
#include "engines/engine_choice.hpp"

#include <set>
#include <string_view>

#include "core/error.hpp"
#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

Trial trial_of(ModelKind kind) {
  Trial trial{{}, test::plain_model(), test::plain_training()};
  trial.model.kind = kind;
  trial.model.channels = {4};
  trial.train.loss = LossKind::mse;
  return trial;
}

const DataShape rows{10000, 64, 10, {1, 8, 8}};

// The chosen engine and the reason. `speedup` is that of the GPUs, or no_gpu.
std::string choice_of(const Trial& trial, const RunOptions& run, double speedup, LaneDevice device = core_lane) {
  const EngineChoice choice = choose_engine(trial, rows, run, speedup, device);
  return described(choice.engine->name, choice.reason);
}

EngineKind settled(const Plan& plan, const RunOptions& run, double speedup,
                   const std::vector<LaneDevice>& devices = {gpu_lane, core_lane}) {
  return settled_engine(plan, rows, run, speedup, devices);
}

// The plan of a search over kinds of models.
Plan plan_of(const std::vector<std::string>& kinds) {
  Study study = test::regression_study();
  study.model.channels = {4};
  study.search.keys = {{"model.kind", kinds}};
  return test::whole_plan(study);
}

}  // namespace

TEST_CASE("the native engine trains linear models and MLPs on CPUs with one thread") {
  const RunOptions run;
  CHECK(choice_of(trial_of(ModelKind::linear), run, no_gpu) == "native");
  CHECK(choice_of(trial_of(ModelKind::mlp), run, no_gpu) == "native");
  CHECK(choice_of(trial_of(ModelKind::cnn), run, no_gpu) == "torch (the network has convolutions)");
  CHECK(choice_of(trial_of(ModelKind::resnet50), run, no_gpu) == "torch (the network has convolutions)");
  CHECK(choice_of(trial_of(ModelKind::torchscript), run, no_gpu) == "torch (a TorchScript module runs in LibTorch)");
  CHECK(choice_of(trial_of(ModelKind::plugin), run, no_gpu) == "torch (a plugin runs in LibTorch)");
}

TEST_CASE("the choice gives each kind of lane the reason why LibTorch trains a model that native could train") {
  RunOptions run;
  const Trial mlp = trial_of(ModelKind::mlp), cnn = trial_of(ModelKind::cnn);
  CHECK(choice_of(mlp, run, 3.04, gpu_lane) == "torch (a GPU is expected to be 3 times as fast as the cores)");
  CHECK(choice_of(mlp, run, 3.04, core_lane) == "native");
  for (const LaneDevice device : {gpu_lane, core_lane}) {
    CHECK(choice_of(mlp, run, 0.5, device) == "native");
    CHECK(choice_of(cnn, run, 3, device) == "torch (the network has convolutions)");
  }
  run.device = DeviceRequest::cuda;
  CHECK(choice_of(mlp, run, 0.5, gpu_lane) == "torch (run.device = cuda)");
  CHECK(choice_of(mlp, run, 0.5, core_lane) == "native");
  run.device = automatic;
  const Trial trees = trial_of(ModelKind::boosted_trees);
  run.threads = 2;
  for (const LaneDevice device : {gpu_lane, core_lane}) {
    CHECK(choice_of(trees, run, 3, device) == "xgboost");
    CHECK(choice_of(mlp, run, 0.5, device) == "torch (run.threads = 2)");
  }
}

TEST_CASE("an engine refuses trials that it cannot train because of the trial, the data or the device") {
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
  CHECK(choice_of(trial, run, no_gpu, gpu_lane) == "torch (train.precision = tf32)");
  const EngineChoice on_cores = choose_engine(trial, rows, run, no_gpu, core_lane);
  CHECK(on_cores.engine == nullptr);
  CHECK(on_cores.reason.value_or("") == "train.precision = tf32 needs a GPU");
}

TEST_CASE("run.engine = torch, or several threads, select LibTorch") {
  RunOptions run;
  run.threads = 4;
  CHECK(choice_of(trial_of(ModelKind::mlp), run, no_gpu) == "torch (run.threads = 4)");
  run.engine = EngineKind::torch;
  CHECK(choice_of(trial_of(ModelKind::mlp), run, no_gpu) == "torch (run.engine = torch)");
}

TEST_CASE("once run.engine is resolved, GPUs and threads do not change the engine of a trial") {
  RunOptions run;
  run.threads = 4;
  for (const auto engine : {EngineKind::native, EngineKind::by_model}) {
    run.engine = engine;
    CHECK(choice_of(trial_of(ModelKind::mlp), run, 3, gpu_lane) == "native");
    CHECK(engine_of(trial_of(ModelKind::mlp), rows, engine, gpu_lane).name == "native");
  }
  CHECK(engine_of(trial_of(ModelKind::cnn), rows, EngineKind::by_model, gpu_lane).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::plugin), rows, EngineKind::by_model, gpu_lane).name == "torch");
  CHECK(engine_of(trial_of(ModelKind::mlp), rows, EngineKind::torch, gpu_lane).name == "torch");
}

TEST_CASE("run.engine = auto resolves by models, GPUs and threads; other values do not change") {
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
    const EngineKind beside_cores = plan == &others ? EngineKind::torch : EngineKind::by_device;
    CHECK(settled(*plan, run, faster) == beside_cores);
    CHECK(settled(*plan, on_gpu, slower) == beside_cores);
    CHECK(settled(*plan, run, faster, {gpu_lane}) == EngineKind::torch);
    CHECK(settled(*plan, on_gpu, slower, {gpu_lane}) == EngineKind::torch);
    RunOptions threads;
    threads.threads = 2;
    CHECK(settled(*plan, threads, no_gpu) == EngineKind::torch);
    for (const auto requested : {EngineKind::torch, EngineKind::native, EngineKind::by_model}) {
      threads.engine = requested;
      CHECK(settled(*plan, threads, faster) == requested);
    }
  }
}

TEST_CASE("small networks are expected to be faster on cores, and large networks on a GPU") {
  const auto speedup_of = [](std::vector<std::int64_t> hidden, std::int64_t batch, std::int64_t cores) {
    Trial trial = trial_of(ModelKind::mlp);
    trial.model.hidden = std::move(hidden);
    trial.train.batch_size = batch;
    const auto parameters = parameter_count(network_layout(trial.model, rows));
    GpuSpeedup speedup(rows, cores);
    speedup.add(trial, estimate_trial(trial, rows, parameters, rows.rows), 1);
    return speedup.value();
  };
  CHECK(speedup_of({32}, 32, 1) < 0.02);
  CHECK(speedup_of({32}, 32, 16) == Approx(speedup_of({32}, 32, 1) / 16));
  CHECK(speedup_of({4096, 4096, 4096}, 1024, 16) > 10);
}

TEST_CASE("run.engine = by_device trains on GPUs what they can train, and the rest as by_model does") {
  RunOptions run;
  run.engine = EngineKind::by_device;
  for (const ModelKind kind : {ModelKind::linear, ModelKind::mlp, ModelKind::cnn, ModelKind::boosted_trees}) {
    const Trial trial = trial_of(kind);
    const EngineEntry* on_gpu = gpu_engine(trial, rows);
    const std::string_view usual = engine_of(trial, rows, EngineKind::by_model, core_lane).name;
    const std::string_view with_gpu = on_gpu != nullptr ? on_gpu->name : usual;
    CHECK(engine_of(trial, rows, EngineKind::by_device, gpu_lane).name == with_gpu);
    CHECK(engine_of(trial, rows, EngineKind::by_device, core_lane).name == usual);
    CHECK(choose_engine(trial, rows, run, no_gpu, gpu_lane).engine->name == with_gpu);
    CHECK(choose_engine(trial, rows, run, 3, core_lane).engine->name == usual);
  }
  CHECK(choice_of(trial_of(ModelKind::mlp), run, no_gpu, gpu_lane) == "torch (run.engine = by_device)");
  CHECK(settled(plan_of({"mlp", "boosted_trees"}), RunOptions{}, 3, {gpu_lane}) == EngineKind::by_device);
}

TEST_CASE("stacks reach the expected speed, and beat the cores only with large networks or many models") {
  struct Case {
    std::int64_t features, hidden, batch, together;
    double least, most;  // thousand steps of models in a second
  };
  const EngineEntry& torch = engine_named(torch_engine_name);
  const auto estimate_of = [](const Case& one, const DataShape& shape) {
    Trial trial = trial_of(ModelKind::mlp);
    trial.model.hidden = {one.hidden};
    trial.train.batch_size = one.batch;
    trial.train.optimizer = OptimizerKind::adam;
    TrialEstimate estimate =
        estimate_trial(trial, shape, parameter_count(network_layout(trial.model, shape)), shape.rows);
    estimate.together = one.together;
    return std::pair(trial, estimate);
  };
  for (const Case& one :
       {Case{64, 32, 32, 2, 35, 45}, Case{64, 32, 32, 32, 550, 650}, Case{64, 32, 32, 1024, 4800, 7300},
        Case{784, 128, 32, 10, 100, 160}, Case{784, 128, 32, 50, 180, 250}, Case{784, 128, 32, 256, 190, 300},
        Case{784, 512, 128, 32, 20, 45}}) {
    INFO(one.features << "-" << one.hidden << ", " << one.together);
    const TrialEstimate estimate = estimate_of(one, DataShape{10240, one.features, 10, {}}).second;
    const double speed = static_cast<double>(estimate.steps) / torch.expected_seconds(estimate, gpu_lane) / 1000;
    CHECK(speed > one.least);
    CHECK(speed < one.most);
    CHECK(
        torch.expected_seconds(estimate, core_lane) ==
        torch.expected_seconds(
            estimate_of({one.features, one.hidden, one.batch, 1, 0, 0}, DataShape{10240, one.features, 10, {}}).second,
            core_lane));
  }
  const auto speedup = [&](const Case& one, std::int64_t cores, double models) {
    const DataShape shape{10240, one.features, 10, {}};
    const auto [trial, estimate] = estimate_of(one, shape);
    GpuSpeedup of(shape, cores);
    of.add(trial, estimate, 1, models);
    return of.value();
  };
  const Case small{64, 32, 32, 512, 0, 0}, large{784, 512, 128, 16, 0, 0};
  CHECK(speedup({4, 4, 32, 1024, 0, 0}, 32, 1e6) < 1);
  CHECK(speedup(small, 1, 1e6) > 10);
  CHECK(speedup(small, 128, 1e6) < 1);
  CHECK(speedup(small, 4, 4) < 1);  // idle slots
  CHECK(speedup(small, 1, 512) == Approx(speedup(small, 1, 1e9)));
  CHECK(speedup(small, 1, 513) < 0.6 * speedup(small, 1, 512));
  CHECK(speedup(large, 32, 1000) > 2);
  CHECK(speedup({784, 512, 128, 1, 0, 0}, 32, 1000) < 1);  // one at a time
}

TEST_CASE("expected times are shorter with more threads, and shorter on a GPU only for large networks") {
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

TEST_CASE("run.engine = auto takes the engine with the least expected time of those that can train the trial") {
  for (const std::int64_t width : {1, 4096})
    for (const ModelKind kind : {ModelKind::linear, ModelKind::mlp, ModelKind::cnn, ModelKind::boosted_trees}) {
      Trial trial = trial_of(kind);
      trial.model.hidden = {width};
      trial.train.epochs = 3;
      const TrialEstimate estimate = estimate_trial(trial, rows, 0, rows.rows);
      const EngineEntry* chosen = choose_engine(trial, rows, RunOptions{}, no_gpu, core_lane).engine;
      REQUIRE(chosen != nullptr);
      CHECK_FALSE(chosen->refusal(trial, rows, core_lane).has_value());
      for (const EngineEntry& engine : engine_table())
        if (!engine.refusal(trial, rows, core_lane))
          CHECK(chosen->expected_seconds(estimate, core_lane) <= engine.expected_seconds(estimate, core_lane));
    }
}

TEST_CASE("the table has an engine for each trial on a GPU, except boosted trees") {
  for (const ModelKind kind : {ModelKind::linear, ModelKind::mlp, ModelKind::cnn, ModelKind::plugin}) {
    const EngineEntry* engine = gpu_engine(trial_of(kind), rows);
    REQUIRE(engine != nullptr);
    CHECK(engine->uses_gpus);
  }
  CHECK(gpu_engine(trial_of(ModelKind::boosted_trees), rows) == nullptr);
}

TEST_CASE("run.engine = native is refused if the native engine cannot train a trial") {
  RunOptions run;
  const std::vector<LaneDevice> both = {gpu_lane, core_lane};
  for (const AutoOr<EngineKind> other : {AutoOr<EngineKind>(), {EngineKind::torch}, {EngineKind::by_model}}) {
    run.engine = other;
    CHECK_NOTHROW(require_engine(plan_of({"linear", "cnn"}), rows, run, both));
  }
  run.engine = EngineKind::native;
  CHECK_NOTHROW(require_engine(plan_of({"linear", "mlp"}), rows, run, both));
  CHECK_THROWS_AS(require_engine(plan_of({"mlp", "cnn"}), rows, run, both), UsageError);
  CHECK_THROWS_WITH(require_engine(plan_of({"mlp", "cnn"}), rows, run, both),
                    "run.engine = native cannot train the model with model.kind = cnn (the network has convolutions). "
                    "Set run.engine = auto.");
}

TEST_CASE("a trial that no engine can train on a device of the job is refused") {
  Study study = test::regression_study();
  study.train.precision = Precision::tf32;
  const Plan plan(study);
  CHECK(settled(plan, study.run, 2) == EngineKind::torch);
  for (const AutoOr<EngineKind> engine : {AutoOr<EngineKind>(), {EngineKind::torch}, {EngineKind::by_model}}) {
    study.run.engine = engine;
    CHECK_NOTHROW(require_engine(plan, rows, study.run, {gpu_lane}));
    CHECK_THROWS_AS(require_engine(plan, rows, study.run, {gpu_lane, core_lane}), RunError);
    CHECK_THROWS_WITH(require_engine(plan, rows, study.run, {gpu_lane, core_lane}),
                      "the model cannot be trained on CPU cores (train.precision = tf32 needs a GPU). Change its "
                      "settings, or set run.device = cuda to learn why a rank has no GPU.");
  }
}

TEST_CASE("each engine has a unique name, which its trainers return, and a unique value of run.engine") {
  std::set<std::string_view> names;
  std::set<EngineKind> kinds;
  for (const EngineEntry& engine : engine_table()) {
    CHECK(names.insert(engine.name).second);
    CHECK(kinds.insert(engine.kind).second);
    for (const char* key : {"build", "threads", "gpu"}) CHECK(engine.services.platform_key != key);  // Platform
    CHECK(engine.name.size() <= ShortText::max_bytes);
    CHECK(&engine_named(engine.name) == &engine);
    CHECK(engine_of(trial_of(ModelKind::linear), rows, engine.kind, gpu_lane).name == engine.name);
  }
  CHECK(engine_table().front().make_trainer({-1, 1}, nullptr)->engine() == engine_table().front().name);
}

TEST_CASE("stacks are trained by LibTorch, if any of the networks can be in one") {
  RunOptions run;
  run.stack = StackSize{8};
  const Trial mlp = trial_of(ModelKind::mlp), cnn = trial_of(ModelKind::cnn);
  const auto together = [](const Trial& trial, EngineKind engine, LaneDevice device, const StackSize& size) {
    return with_stack({}, trial, rows, engine, device, size, rows.rows).together;
  };
  CHECK(together(mlp, EngineKind::torch, core_lane, {8}) == 8);
  CHECK(together(mlp, EngineKind::by_device, gpu_lane, {8}) == 8);
  CHECK(together(mlp, EngineKind::by_device, core_lane, {8}) == 1);
  CHECK(together(cnn, EngineKind::torch, core_lane, {8}) == 1);
  CHECK(together(mlp, EngineKind::native, core_lane, {8}) == 1);
  CHECK(together(mlp, EngineKind::torch, gpu_lane, {1024, 1 << 16}) == 128);
  CHECK(together(mlp, EngineKind::torch, gpu_lane, {1024, 66}) == 1);  // MiB
  TrialEstimate alone;
  alone.needed_bytes = 5e3;
  const auto needed_bytes = [&](const StackSize& size) {
    return with_stack(alone, mlp, rows, EngineKind::torch, gpu_lane, size, rows.rows).needed_bytes;
  };
  const auto stack = shape_of_stack(engine_named("torch"), mlp, rows, rows.rows);
  REQUIRE(stack);
  CHECK(needed_bytes({8}) == stack_memory(*stack).bytes(8));
  CHECK(needed_bytes({1}) == 5e3);
  CHECK(needed_bytes({1024, 66}) == 5e3);
  run.engine = EngineKind::torch;
  CHECK_NOTHROW(require_stack(plan_of({"cnn", "mlp"}), rows, run, {core_lane}));
  CHECK_THROWS_WITH(require_stack(plan_of({"cnn", "resnet18"}), rows, run, {core_lane}),
                    "run.stack = 8 has no effect (the network has convolutions). Set run.stack = auto.");
  run.engine = EngineKind::native;
  CHECK_THROWS_WITH(require_stack(plan_of({"mlp"}), rows, run, {core_lane}),
                    "run.stack = 8 has no effect (the engine is native). Set run.stack = auto, or run.engine = "
                    "torch (on cores, its stacks are slower than the native engine).");
  run.stack = StackSize{};
  CHECK_NOTHROW(require_stack(plan_of({"cnn"}), rows, run, {core_lane}));
}
