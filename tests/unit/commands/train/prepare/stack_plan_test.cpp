// SPDX-License-Identifier: MIT
#include "commands/train/prepare/stack_plan.hpp"

#include "commands/train/prepare/settle_study.hpp"
#include "core/error.hpp"
#include "runs/directory/study_identity.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"
#include "training/stack_width.hpp"

using namespace sheaf;

namespace {

const DataShape shape{2000, 64, 10, {}};
constexpr double gibibyte = 1 << 30;

// A study on a file that LibTorch trains.
Study study_of(std::int64_t iterations, std::vector<std::int64_t> hidden = {32}) {
  Study study = test::regression_study();
  study.model.kind = ModelKind::mlp;
  study.model.hidden = std::move(hidden);
  study.run.engine = EngineKind::torch;
  study.study.iterations = iterations;
  return study;
}

StackSize settled(const Study& study, std::int64_t lanes, double bytes) {
  return settled_stack(study, test::whole_plan(study), shape, shape.rows, {lanes, bytes});
}

JobFacts facts_of(std::int64_t gpu_lanes, double bytes, double speedup) {
  JobFacts facts;
  facts.devices = {gpu_lanes > 0 ? gpu_lane : core_lane};
  facts.shape = shape;
  facts.training_rows = shape.rows;
  facts.gpu_speedup = speedup;
  facts.node_bytes = 1 << 30;
  facts.gpus = {gpu_lanes, bytes};
  return facts;
}

}  // namespace

TEST_CASE("the memory of a lane is a part of that of its GPU") {
  CHECK(lane_bytes(100, 1, 1, 0) == Approx(60));
  CHECK(lane_bytes(100, 2, 1, 0) == Approx(30));
  CHECK(lane_bytes(100, 2, 2, 10) == Approx(10));  // each rank has a copy of the data
  CHECK(lane_bytes(100, 1, 4, 90) == 0);
}

TEST_CASE("run.stack = auto has as many slots as models fill a GPU, are planned for it and fit into its memory") {
  CHECK(settled(study_of(100000), 1, 64 * gibibyte) == StackSize{256, 65536});
  CHECK(settled(study_of(100), 1, 64 * gibibyte) == StackSize{128, 65536});
  CHECK(settled(study_of(100), 4, 64 * gibibyte) == StackSize{32, 65536});
  CHECK(settled(study_of(9), 4, 64 * gibibyte) == StackSize{4, 65536});
  CHECK(settled(study_of(4), 4, 64 * gibibyte) == StackSize{});
  CHECK(settled(study_of(100000), 0, 0) == StackSize{});  // cores
  CHECK(settled(study_of(100000), 1, 0) == StackSize{});
  const std::vector<std::int64_t> large = {4096, 4096};
  CHECK(settled(study_of(100000, large), 1, 64 * gibibyte) == StackSize{16, 65536});
  const StackSize tight = settled(study_of(100000, large), 1, 4 * gibibyte);
  CHECK(tight == StackSize{8, 4096});
}

TEST_CASE("run.stack = auto is 1 where models cannot be trained together") {
  const auto without = [](const std::function<void(Study&)>& change) {
    Study study = study_of(1000);
    change(study);
    return settled(study, 1, 64 * gibibyte) == StackSize{};
  };
  CHECK_FALSE(without([](Study&) {}));
  CHECK(without([](Study& of) { of.run.engine = EngineKind::native; }));
  CHECK(without([](Study& of) { of.run.engine = EngineKind::by_model; }));
  CHECK_FALSE(without([](Study& of) { of.run.engine = EngineKind::by_device; }));
  CHECK(without([](Study& of) { of.run.threads = 2; }));
  CHECK(without([](Study& of) { of.data.mode = DataMode::streamed; }));
  CHECK(without([](Study& of) { of.train.precision = Precision::tf32; }));
  CHECK(without([](Study& of) {
    of.data.source = DataSource::synthetic;
    of.data.draw = Draw::iteration;
  }));
}

TEST_CASE("a search that learns plans for as many models as it trains at the same time") {
  Study study = study_of(1);
  study.data.validation = 0.5;
  study.search.method = SearchMethod::tpe;
  study.search.trials = 1000;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  study.search.batch = 6;
  CHECK(most_at_once(study) == 6.0);
  CHECK(stack_plan(study, test::whole_plan(study), shape, shape.rows, {2, gibibyte}).models == 3);
  CHECK(settled(study, 2, 64 * gibibyte) == StackSize{4, 65536});
  study.search.method = SearchMethod::random;
  CHECK_FALSE(most_at_once(study).has_value());
  CHECK(stack_plan(study, test::whole_plan(study), shape, shape.rows, {2, gibibyte}).models == 500);
}

TEST_CASE("shapes of a study have their own widths, and the study has the widest") {
  Study study = study_of(64);
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"model.hidden", {"8", "32", "1024"}}};
  const StackSize size = settled(study, 1, 64 * gibibyte);
  std::vector<std::int64_t> widths;
  test::whole_plan(study).for_each_network([&](const Trial& trial) {
    widths.push_back(with_stack({}, trial, shape, EngineKind::torch, gpu_lane, size, shape.rows).together);
  });
  CHECK(widths == std::vector<std::int64_t>{256, 256, 16});
  CHECK(size == StackSize{256, 65536});
}

TEST_CASE("a later job keeps the stored stacks on any GPU and on cores") {
  Study study = study_of(100);
  study.run.engine = automatic;
  const Plan plan = test::whole_plan(study);
  const SettledStudy stored = settled_study(study, plan, facts_of(1, 64 * gibibyte, 2));
  CHECK(stored->run.stack == StackSize{128, 65536});
  for (const JobFacts& other : {facts_of(4, 8 * gibibyte, 2), facts_of(0, 0, no_gpu)}) {
    const SettledStudy again = settled_study(with_stored_choices(study, stored), plan, other);
    CHECK(again->run.stack == stored->run.stack);
    CHECK(study_fingerprint(again) == study_fingerprint(stored));
  }
  const SettledStudy on_cores = settled_study(study, plan, facts_of(0, 0, no_gpu));
  CHECK(on_cores->run.stack == StackSize{});
  study.run.stack = StackSize{7};
  CHECK(settled_study(study, plan, facts_of(1, 64 * gibibyte, 2))->run.stack == StackSize{7});
}

TEST_CASE("auto takes GPUs with stacks only where the cores are expected to be slower") {
  Study study = study_of(4096);
  study.run.engine = automatic;
  study.train.optimizer = OptimizerKind::adam;
  study.train.batch_size = 32;
  const auto speedup = [&](std::int64_t cores, const GpuFacts& gpus) {
    const Plan plan = test::whole_plan(study);
    return expected_gpu_speedup(plan, shape, shape.rows, cores, 1, stack_plan(study, plan, shape, shape.rows, gpus));
  };
  CHECK(speedup(4, {1, 64 * gibibyte}) > 1);
  CHECK(speedup(4, {1, 0}) < 1);  // no memory for stacks
  CHECK(speedup(128, {1, 64 * gibibyte}) < 1);
  study.study.iterations = 4;
  CHECK(speedup(4, {1, 64 * gibibyte}) < 1);
  study.study.iterations = 4096;
  study.run.stack = StackSize{1};
  CHECK(speedup(4, {1, 64 * gibibyte}) < 1);
  // Values that are drawn from a range give as many shapes as a list of them.
  study.run.stack.reset();
  study.study.iterations = 1;
  study.search.method = SearchMethod::random;
  study.search.trials = 100;
  study.search.keys = {{"model.hidden", {"16", "115"}, Sampling::integer}};
  const double of_range = speedup(1, {1, 64 * gibibyte});
  study.search.keys = {{"model.hidden", {}}};
  for (int width = 16; width <= 115; ++width) study.search.keys[0].candidates.push_back(std::to_string(width));
  const double of_list = speedup(1, {1, 64 * gibibyte});
  CHECK(of_range / of_list > 0.5);
  CHECK(of_range / of_list < 2);
}

TEST_CASE("stacks of a search that ends after a time do not delay the first complete trial") {
  Study study = study_of(1);
  study.train.epochs = 1000;
  study.train.batch_size = 32;
  study.search.method = SearchMethod::random;
  study.search.keys = {{"train.learning_rate", {"0.001", "0.1"}, Sampling::log_uniform}};
  study.search.folds = 5;
  const auto most = [&](std::int64_t seconds) {
    study.search.time = seconds;
    return most_in_time(study, test::whole_plan(study), shape, shape.rows);
  };
  CHECK(most(1) == 8);  // five folds
  CHECK(most(10) > 8);
  CHECK(most(10) < max_stack);
  CHECK(most(3600) == max_stack);
  study.search.trials = 1000;
  CHECK(most(0) == max_stack);  // no time
  study.search.trials = 0;
  study.search.folds = 1;
  study.data.validation = 0.2;
  study.train.patience = 5;
  study.train.best_weights = true;
  CHECK(most(1) == max_stack);  // trainings are cut
  study.search.time = 1;
  study.search.folds = 5;
  CHECK(settled(study, 1, 64 * gibibyte) == StackSize{8, 65536});
  study.run.stack = StackSize{64};
  CHECK(settled(study, 1, 64 * gibibyte) == StackSize{64});
}

TEST_CASE("a number of models that does not fit into the memory of a GPU is refused with one that fits") {
  Study study = study_of(1024, {1024});
  const Plan plan = test::whole_plan(study);
  const auto check = [&](std::int64_t most, double bytes) {
    study.run.stack = StackSize{most};
    require_stack_fits(test::settled(study), plan, shape, shape.rows, {1, bytes});
  };
  CHECK_NOTHROW(check(16, 64 * gibibyte));
  CHECK_NOTHROW(check(1, 0));
  CHECK_THROWS_AS(check(1024, gibibyte), UsageError);
  CHECK_THROWS_WITH(check(1024, gibibyte),
                    StartsWith("run.stack = 1024 does not fit into the memory of a GPU (1.0 GiB for each lane, "));
  std::int64_t fitting = 1024;
  try {
    check(1024, gibibyte);
  } catch (const UsageError& error) {
    const std::string text = error.what(), before = "Set run.stack to at most ";
    REQUIRE(text.find(before) != text.npos);
    fitting = std::stoll(text.substr(text.find(before) + before.size()));
  }
  CHECK_NOTHROW(check(fitting, gibibyte));
  CHECK_THROWS_AS(check(fitting + 1, gibibyte), UsageError);
  CHECK_THROWS_WITH(check(2, 1e6), EndsWith("Leave out run.stack."));
  study.run.stack = StackSize{1024, 1 << 20};  // of a run that began on a larger GPU: its stacks are halved if needed
  CHECK_NOTHROW(require_stack_fits(test::settled(study), plan, shape, shape.rows, {1, gibibyte}));
  study.run.stack = StackSize{1024};
  CHECK_NOTHROW(require_stack_fits(test::settled(study), plan, shape, shape.rows, {}));
  study.study.iterations = 3;
  CHECK_NOTHROW(require_stack_fits(test::settled(study), test::whole_plan(study), shape, shape.rows, {1, gibibyte}));
}

TEST_CASE("a note names the models that are trained together on GPUs") {
  Study study = study_of(100);
  study.run.stack = StackSize{128, 4096};
  CHECK(note_on_stacks(test::settled(study), {1, gibibyte}) ==
        "a lane with a GPU trains up to 100 models of one shape together (run.stack = 128 in 4096 MiB)");
  CHECK(note_on_stacks(test::settled(study), {}).empty());
  study.run.stack = StackSize{};
  CHECK(note_on_stacks(test::settled(study), {1, gibibyte}).empty());
}
