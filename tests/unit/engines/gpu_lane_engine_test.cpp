// A lane whose GPU fails goes on with its cores.
// SPDX-License-Identifier: MIT
#include "engines/gpu_lane_engine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include "support/catch.hpp"
#include "support/stackable_study.hpp"
#include "training/gpu_error.hpp"

using namespace sheaf;

namespace {

using Numbers = std::vector<std::int64_t>;

// Finishes iterations of its claims at once, and asks for two more after the first one. Fails when `left` are finished.
class FakeEngine : public Engine {
 public:
  FakeEngine(std::int64_t left, std::int64_t width) : left_(left), width_(width) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    std::vector<IndexRange> ranges = claim;
    if (!claim.empty() && calls.more)
      for (const IndexRange& range : calls.more(2)) ranges.push_back(range);
    for (const IndexRange& range : ranges)
      for (std::int64_t number = range.begin; number < range.end; ++number) {
        if (left_-- == 0) throw GpuError("CUDA error: unspecified launch failure");
        TrainedIteration trained;
        trained.result.iteration = number;
        calls.sink(std::move(trained));
      }
    return !claim.empty();
  }

  std::int64_t width() const override { return width_; }

  void train_ahead(const Plan&, const std::vector<IndexRange>&, const std::function<bool()>&) override {
    throw GpuError("CUDA error: unspecified launch failure");
  }

 private:
  std::int64_t left_, width_;
};

std::unique_ptr<Engine> fallback_after(std::int64_t count) {
  return make_gpu_lane_engine(std::make_unique<FakeEngine>(count, 8),
                              [] { return std::make_unique<FakeEngine>(1000, 1); });
}

}  // namespace

TEST_CASE("after a failure of the GPU, the rest of a claim and later claims are trained with the other engine, once") {
  for (std::int64_t count = 0; count < 6; ++count) {
    CAPTURE(count);
    const auto engine = fallback_after(count);
    CHECK(engine->width() == 8);
    CHECK_FALSE(engine->has_lost_gpu());
    Numbers trained;
    Numbers more = {4, 5};
    EngineCalls calls{
        [&](TrainedIteration&& one) { trained.push_back(one.result.iteration); }, [] { return false; }, {}};
    calls.more = [&](std::int64_t room) {
      std::vector<IndexRange> ranges;
      for (; room > 0 && !more.empty(); --room, more.erase(more.begin())) ranges.push_back({more[0], more[0] + 1});
      return ranges;
    };
    CHECK(engine->train({{0, 3}, {3, 4}}, calls));
    CHECK(trained == Numbers{0, 1, 2, 3, 4, 5});
    CHECK(engine->has_lost_gpu());
    CHECK(engine->width() == 1);
    CHECK(engine->train({{6, 8}}, calls));
    CHECK(trained == Numbers{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK_FALSE(engine->train({}, calls));
  }
}

TEST_CASE("once a GPU has failed, engines on GPUs are not destroyed, also without an engine on cores") {
  class Counted : public FakeEngine {
   public:
    Counted(std::int64_t left, int& destroyed) : FakeEngine(left, 8), destroyed_(destroyed) {}
    ~Counted() override { ++destroyed_; }

   private:
    int& destroyed_;
  };
  static int destroyed = 0;  // the engines live as long as the process
  auto of_other_lane = make_gpu_lane_engine(std::make_unique<Counted>(100, destroyed), nullptr);
  auto engine = make_gpu_lane_engine(std::make_unique<Counted>(1, destroyed), nullptr);
  const EngineCalls calls{[](TrainedIteration&&) {}, [] { return false; }, {}};
  CHECK_THROWS_MATCHES(engine->train({{0, 3}}, calls), GpuError,
                       Catch::Matchers::Message("the GPU has failed (CUDA error: unspecified launch failure)"));
  CHECK_FALSE(engine->has_lost_gpu());
  engine.reset();
  of_other_lane.reset();
  CHECK(destroyed == 0);
}

TEST_CASE("other errors of the device end the training") {
  class FullDisk : public FakeEngine {
   public:
    FullDisk() : FakeEngine(0, 1) {}
    bool train(const std::vector<IndexRange>&, const EngineCalls&) override { throw DeviceError("the disk is full"); }
  };
  const auto engine = make_gpu_lane_engine(std::make_unique<FullDisk>(), [] { return nullptr; });
  CHECK_THROWS_WITH(engine->train({{0, 1}}, {[](TrainedIteration&&) {}, [] { return false; }}), "the disk is full");
  CHECK_FALSE(engine->has_lost_gpu());
}

TEST_CASE("a failure of the GPU in work of later stages replaces the engine, too") {
  const test::StackedJob job(test::stackable_study(EngineKind::native, {}));
  const auto engine = fallback_after(100);
  engine->train_ahead(job.plan, {{0, 1}}, [] { return false; });
  CHECK(engine->has_lost_gpu());
}
