// SPDX-License-Identifier: MIT
#include "engines/lane_engine.hpp"

#include <cstdint>

#include "parallel/devices/lane_device.hpp"
#include "support/catch.hpp"
#include "support/stackable_study.hpp"

using namespace sheaf;

TEST_CASE("lanes claim as many iterations as they can train together") {
  const auto width = [](EngineKind engine, const StackSize& size, std::int64_t models = 100) {
    Study study = test::stackable_study(engine, {{"train.learning_rate", {"0.1", "0.2"}}});
    study.study.iterations = models / 4;  // of two trials with two repeats
    study.run.stack = size;
    test::StackedJob job(study);
    const TrainingContext context{job.study, job.plan, &job.data, &job.splits};
    return make_engine(context, core_lane)->width();
  };
  CHECK(width(EngineKind::torch, {8}) == 8);
  CHECK(width(EngineKind::torch, {8}, 4) == 4);
  CHECK(width(EngineKind::torch, {256, 60000}) == 16);  // planned for a GPU
  CHECK(width(EngineKind::by_device, {256, 60000}) == 1);
  CHECK(width(EngineKind::native, {}) == 1);
}
