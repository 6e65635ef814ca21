// SPDX-License-Identifier: MIT
#include "commands/train/prepare/settle_study.hpp"

#include <string>

#include "core/error.hpp"
#include "engines/engine_choice.hpp"
#include "runs/directory/study_identity.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

// Facts of a job with one device. With `speedup`, the device is a GPU with this expected speedup.
JobFacts facts_of(std::int64_t data_mib, std::int64_t node_mib, double speedup = no_gpu) {
  const bool gpus = speedup != no_gpu;
  return {{gpus ? gpu_lane : core_lane}, {1000, 64, 10, {}}, speedup, data_mib * mebibyte, node_mib * mebibyte, {}};
}

DataMode mode_of(const Study& study, const JobFacts& facts) {
  return settled_study(study, test::whole_plan(study), facts).mode();
}

}  // namespace

TEST_CASE("data.mode = auto resolves by the available memory, and run.engine = auto by the GPUs") {
  Study study = test::regression_study();
  CHECK(mode_of(study, facts_of(50, 100)) == DataMode::memory);
  CHECK(mode_of(study, facts_of(51, 100)) == DataMode::streamed);
  study.data.memory_mib = 80;
  CHECK(mode_of(study, facts_of(80, 100)) == DataMode::memory);
  CHECK(mode_of(study, facts_of(81, 100)) == DataMode::streamed);
  study.data.mode = DataMode::memory;
  CHECK(mode_of(study, facts_of(81, 100)) == DataMode::memory);
  study = test::regression_study();
  study.model.kind = ModelKind::linear;
  study.data.source = DataSource::synthetic;
  CHECK(mode_of(study, facts_of(0, 100)) == DataMode::memory);
  CHECK(settled_study(study, test::whole_plan(study), facts_of(0, 100)).engine() == EngineKind::native);
  CHECK(settled_study(study, test::whole_plan(study), facts_of(0, 100, 2)).engine() == EngineKind::torch);
}

TEST_CASE("data.channels = auto resolves by the layout of the rows, and an explicit order is kept") {
  Study study = test::regression_study();
  JobFacts facts = facts_of(0, 100);
  CHECK(settled_study(study, test::whole_plan(study), facts)->data.channels == ChannelOrder::first);
  facts.layout = {{3, 8, 8}, ChannelOrder::last};
  const SettledStudy stored = settled_study(study, test::whole_plan(study), facts);
  CHECK(stored->data.channels == ChannelOrder::last);
  CHECK(with_stored_choices(study, stored).data.channels == ChannelOrder::last);
  study.data.channels = ChannelOrder::first;
  CHECK(settled_study(study, test::whole_plan(study), facts)->data.channels == ChannelOrder::first);
}

TEST_CASE("a later job keeps the stored choices on any machine") {
  Study asked = test::regression_study();
  const SettledStudy stored = settled_study(asked, test::whole_plan(asked), facts_of(10, 100));
  const Study joined = with_stored_choices(asked, stored);
  for (const JobFacts& facts : {facts_of(10, 100), facts_of(10, 12), facts_of(10, 100, 2)}) {
    const SettledStudy again = settled_study(joined, test::whole_plan(joined), facts);
    CHECK(differing_keys(again, stored).empty());
    CHECK(study_fingerprint(again) == study_fingerprint(stored));
  }
  // A later job with another file, forced to join, keeps the values that were chosen for the first one.
  Study chosen = stored;
  chosen.train.epochs = 77;
  chosen.data.validation = 0.1;
  chosen.model.hidden = {5};
  chosen.run.models = ModelsSaved::best;
  const Study forced = with_stored_choices(Study{}, SettledStudy(chosen));
  CHECK(forced.train.epochs == 77);
  CHECK(forced.data.validation == 0.1);
  CHECK(forced.model.hidden == std::vector<std::int64_t>{5});
  CHECK(forced.run.models == ModelsSaved::best);
  CHECK(forced.run.curves == false);
  // Explicit values are not replaced, so they differ from the stored ones.
  asked.run.engine = EngineKind::torch;
  asked.data.mode = DataMode::streamed;
  CHECK(differing_keys(with_stored_choices(asked, stored), stored) ==
        std::vector<std::string>{"data.mode = streamed, was memory", "run.engine = torch, was native"});
}

TEST_CASE("run.curves = auto records curves of few iterations on a file in memory") {
  Study study = test::regression_study();
  study.run.curves.reset();
  study.run.engine = EngineKind::native;
  const auto curves = [&](const JobFacts& facts) {
    return settled_study(study, test::whole_plan(study), facts).curves();
  };
  CHECK(curves(facts_of(10, 100)));
  CHECK_FALSE(curves(facts_of(100, 10)));  // streamed
  study.study.iterations = 1001;
  CHECK_FALSE(curves(facts_of(10, 100)));
  study.study.iterations = 1000;
  CHECK(curves(facts_of(10, 100)));
  study.data.source = DataSource::synthetic;
  CHECK_FALSE(curves(facts_of(10, 100)));
}

TEST_CASE("run.predictions = auto keeps predictions of at most 256 MiB for a file in memory") {
  Study study = test::regression_study();
  study.data.task = Task::regression;
  study.data.validation.reset();
  study.search.folds = 10;
  study.run.engine = EngineKind::native;
  study.run.predictions = automatic;
  const auto kept = [&](std::int64_t rows, std::int64_t node_mib = 100) {
    JobFacts facts = facts_of(10, node_mib);
    facts.shape = {rows, 64, 1, {}};  // one target: 28 bytes for each row
    facts.rows = {rows};
    return settled_study(study, test::whole_plan(study), facts).predictions();
  };
  CHECK(kept(9586980) == PredictionsKept::held_out);
  CHECK(kept(9586990) == PredictionsKept::none);
  CHECK(kept(100, 10) == PredictionsKept::none);  // streamed
  study.run.predictions = PredictionsKept::held_out;
  CHECK(kept(9586990) == PredictionsKept::held_out);
  CHECK(kept(100, 10) == PredictionsKept::held_out);
  study.run.predictions = automatic;
  study.search.folds = 1;
  study.data.validation = 0;
  CHECK(kept(100) == PredictionsKept::none);
  study.data.validation = 0.1;
  CHECK(kept(100) == PredictionsKept::held_out);
  study.data.source = DataSource::synthetic;
  CHECK(kept(100) == PredictionsKept::none);
}

TEST_CASE("search.ensemble = auto selects an ensemble if predictions and models of several trials are kept") {
  Study study = test::regression_study();
  study.data.task = Task::regression;
  study.train.loss = LossKind::mse;
  study.data.validation = 0.5;
  study.run.engine = EngineKind::native;
  study.run.models = ModelsSaved::best;
  study.run.predictions = automatic;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"train.learning_rate", {"0.1", "0.01"}}};
  const auto settled = [](const Study& requested, std::int64_t rows = 100, std::int64_t node_mib = 100) {
    JobFacts facts = facts_of(10, node_mib);
    facts.shape = {rows, 64, 1, {}};
    facts.rows = {rows};
    return settled_study(requested, test::whole_plan(requested), facts);
  };
  const auto kind = [&](const Study& requested, std::int64_t rows = 100, std::int64_t node_mib = 100) {
    return settled(requested, rows, node_mib).ensemble();
  };
  CHECK(kind(study) == EnsembleKind::greedy);
  CHECK(kind(study, 20000000) == EnsembleKind::none);
  CHECK(kind(study, 100, 10) == EnsembleKind::none);  // streamed
  const auto without = [&](const std::function<void(Study&)>& change) {
    Study other = study;
    change(other);
    return kind(other) == EnsembleKind::none;
  };
  CHECK(without([](Study& other) { other.run.models = ModelsSaved::none; }));
  CHECK(without([](Study& other) { other.run.predictions = PredictionsKept::none; }));
  CHECK(without([](Study& other) { other.search.keys = {{"train.learning_rate", {"0.1"}}}; }));
  CHECK(without([](Study& other) { other.data.validation = 0; }));
  CHECK(without([](Study& other) { other.train.loss = LossKind::quantile; }));
  CHECK(without([](Study& other) { other.search.ensemble = EnsembleKind::none; }));
  CHECK(without([](Study& other) {
    other.search.method = SearchMethod::none;
    other.search.keys = {};
  }));

  study.run.predictions = PredictionsKept::held_out;
  CHECK(kind(study, 20000000) == EnsembleKind::none);  // too many to select from by default
  CHECK(kind(study, 100, 10) == EnsembleKind::greedy);
  study.run.predictions = automatic;
  study.search.ensemble = EnsembleKind::greedy;  // keeps predictions that auto would not keep
  CHECK(settled(study, 20000000).predictions() == PredictionsKept::held_out);
  CHECK(settled(study, 100, 10).predictions() == PredictionsKept::none);  // streamed, which is refused
  const JobFacts streamed = facts_of(10, 10);
  CHECK_THROWS_AS(require_trainable(settled(study, 100, 10), test::whole_plan(study), streamed), UsageError);
}

TEST_CASE("data.mode = memory is refused when the data does not fit into memory") {
  Study study = test::regression_study();
  study.data.file = "large.h5";
  study.data.mode = DataMode::memory;
  study.run.engine = EngineKind::native;
  const Plan plan = test::whole_plan(study);
  CHECK_NOTHROW(require_trainable(test::settled(study), plan, facts_of(100, 100)));
  CHECK_THROWS_AS(require_trainable(test::settled(study), plan, facts_of(101, 100)), RunError);
  CHECK_THROWS_WITH(require_trainable(test::settled(study), plan, facts_of(101, 100)),
                    StartsWith("'large.h5' does not fit into memory, as data.mode = memory requires ("));
  study.data.mode = DataMode::streamed;
  CHECK_NOTHROW(require_trainable(test::settled(study), plan, facts_of(101, 100)));
}

TEST_CASE("a note reports dense models that would train faster on the GPU of their rank") {
  Study study = test::regression_study();
  const Plan plan = test::whole_plan(study);
  const double slower = 1 / 150.0;
  for (const auto engine : {EngineKind::native, EngineKind::by_model}) {
    study.run.engine = engine;
    CHECK(note_on_gpus(test::settled(study), plan, facts_of(0, 1)).empty());
    CHECK_THAT(note_on_gpus(test::settled(study), plan, facts_of(0, 1, slower)),
               ContainsSubstring("expected to be 150 times as fast"));
  }
  study.run.engine = EngineKind::torch;
  CHECK(note_on_gpus(test::settled(study), plan, facts_of(0, 1, slower)).empty());
}

TEST_CASE("the expected GPU speedup is relative to the busy lanes of a rank, over all dense trials") {
  Study study = test::regression_study();
  study.model.kind = ModelKind::mlp;
  study.study.iterations = 32;
  study.search.method = SearchMethod::grid;
  study.search.keys = {{"model.hidden", {"16", "4096 4096"}}};
  const DataShape shape{1000, 64, 10, {}};
  const Plan plan = test::whole_plan(study);
  const auto speedup = [&](const Plan& of, std::int64_t lanes, std::int64_t ranks) {
    return expected_gpu_speedup(of, shape, shape.rows, lanes, ranks);
  };
  CHECK(speedup(plan, 16, 1) == Approx(speedup(plan, 1, 1) / 16));
  CHECK(speedup(plan, 16, 8) == Approx(speedup(plan, 8, 1)));  // 64 iterations are 8 per rank
  CHECK(speedup(plan, 16, 100) == Approx(speedup(plan, 1, 1)));
  // The large trial takes nearly all of the time.
  study.search.keys[0].candidates = {"4096 4096"};
  const double large = speedup(test::whole_plan(study), 1, 1);
  study.search.keys[0].candidates = {"16"};
  const double small = speedup(test::whole_plan(study), 1, 1);
  CHECK(small < 0.1);
  CHECK(large > 1);
  CHECK(speedup(plan, 1, 1) > large / 2.5);
  // Trials that differ only in keys without a cost are not visited one by one: this plan has a hundred million.
  study.search.keys = {{"model.hidden", {"16", "4096 4096"}}};
  const double both = speedup(test::whole_plan(study), 1, 1);
  for (const char* key : {"train.learning_rate", "train.weight_decay"}) {
    study.search.keys.push_back({key, {}});
    for (int number = 1; number <= 7000; ++number)
      study.search.keys.back().candidates.push_back(std::to_string(number / 1e4));
  }
  CHECK(speedup(test::whole_plan(study), 1, 1) == Approx(both));
  // With other kinds of models in the study, a rank with a GPU has one lane.
  study.model.channels = {4};
  study.search.keys = {{"model.kind", {"mlp", "cnn"}}};
  CHECK(expected_gpu_speedup(test::whole_plan(study), {1000, 64, 10, {1, 8, 8}}, 1000, 16, 1) ==
        Approx(expected_gpu_speedup(test::whole_plan(study), {1000, 64, 10, {1, 8, 8}}, 1000, 1, 1)));
  study.search.keys = {{"model.kind", {"cnn"}}};
  CHECK(expected_gpu_speedup(test::whole_plan(study), {1000, 64, 10, {1, 8, 8}}, 1000, 16, 1) == no_gpu);
}

TEST_CASE("tf32 is refused when any rank trains on CPU cores") {
  Study study = test::regression_study();
  study.data.source = DataSource::synthetic;
  study.train.precision = Precision::tf32;
  const Plan plan = test::whole_plan(study);
  JobFacts facts = facts_of(0, 100, 2);
  CHECK(settled_study(study, plan, facts).engine() == EngineKind::torch);
  CHECK_NOTHROW(require_trainable(test::settled(study), plan, facts));
  facts.devices.push_back(core_lane);
  CHECK_THROWS_AS(require_trainable(test::settled(study), plan, facts), RunError);
}

TEST_CASE("keys of ranks with a GPU are named if no rank trains on one") {
  RunOptions run;
  JobFacts facts;
  facts.devices = {core_lane};
  CHECK(ineffective_gpu_keys(run, facts).empty());
  run.core_lanes = 4;
  run.ranks_per_gpu = 2;
  CHECK(ineffective_gpu_keys(run, facts) ==
        std::vector<std::string>{"run.ranks_per_gpu = 2 has no effect (no rank trains on a GPU).",
                                 "run.core_lanes = 4 has no effect (no rank trains on a GPU)."});
  facts.devices = {gpu_lane, core_lane};
  CHECK(ineffective_gpu_keys(run, facts).empty());
}
