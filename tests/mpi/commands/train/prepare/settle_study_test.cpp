// SPDX-License-Identifier: MIT
#include "commands/train/prepare/settle_study.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"

using namespace sheaf;

namespace {

// Places and settles a search over the given models on the cores of this machine. Collective over world.
PlacedStudy placed(const std::vector<std::string>& models, const RunOptions& run, Precision precision) {
  const Communicator world = Communicator::world();
  const Communicator node = world.split_by_node();
  Study study = test::regression_study();
  study.data.source = DataSource::synthetic;
  study.data.rows = 100;
  study.model.channels = {2};
  study.data.image = {1, 8, 8};
  study.data.columns = 64;
  study.search.keys = {{"model.kind", models}};
  study.train.precision = precision;
  study.run = run;
  study.run.models = ModelsSaved::none;
  study.run.device = DeviceRequest::cpu;
  return place_and_settle(study, Plan(study), std::nullopt, world, node);
}

}  // namespace

TEST_CASE("a study is placed and settled on the cores of all ranks") {
  RunOptions run;
  run.lanes = 2;
  const PlacedStudy dense = placed({"linear", "mlp"}, run, Precision::float32);
  CHECK(dense.study.engine() == EngineKind::native);
  CHECK(dense.study.mode() == DataMode::memory);
  CHECK(dense.placement.lane_count() == 2);
  CHECK_FALSE(dense.placement.uses_gpu());
  REQUIRE(dense.facts.devices.size() == 1);
  CHECK_FALSE(dense.facts.devices.front().on_gpu());
  CHECK(dense.facts.gpu_speedup == no_gpu);
  CHECK(dense.facts.shape.features == 64);
  CHECK(dense.facts.node_bytes > 0);
  CHECK(placed({"mlp", "cnn"}, run, Precision::float32).study.engine() == EngineKind::by_model);
  CHECK(placed({"cnn"}, run, Precision::float32).study.engine() == EngineKind::torch);
}

TEST_CASE("a study that the cores cannot train is refused on all ranks") {
  RunOptions run;
  CHECK_THROWS_AS(placed({"mlp"}, run, Precision::tf32), AgreedError);
  run.engine = EngineKind::native;
  CHECK_THROWS_AS(placed({"mlp", "cnn"}, run, Precision::float32), AgreedError);
  CHECK_NOTHROW(placed({"mlp"}, run, Precision::float32));
}
