// SPDX-License-Identifier: MIT
#include "commands/train/training/lanes.hpp"

#include <set>
#include <string>
#include <utility>

#include "engines/engine_table.hpp"
#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_files.hpp"
#include "runs/journal/journal_writer.hpp"
#include "support/catch.hpp"
#include "support/sample_results.hpp"
#include "training/gpu_error.hpp"

using namespace sheaf;

namespace {

// Fails in its first claim.
class FailingEngine : public Engine {
 public:
  explicit FailingEngine(bool is_of_gpu) : is_of_gpu_(is_of_gpu) {}

  bool train(const std::vector<IndexRange>& /*claim*/, const EngineCalls& /*calls*/) override {
    if (is_of_gpu_) throw GpuError("the GPU is lost");
    throw DeviceError("the disk is full");
  }

 private:
  bool is_of_gpu_;
};

// Finishes each iteration immediately. The results name the given engine.
class NamedEngine : public Engine {
 public:
  explicit NamedEngine(EngineName name, bool has_lost_gpu = false) : name_(name), has_lost_gpu_(has_lost_gpu) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    for (const IndexRange& range : claim)
      for (std::int64_t number = range.begin; number < range.end; ++number) {
        TrainedIteration trained;
        trained.result.iteration = number;
        trained.result.status = IterationStatus::finished;
        trained.result.engine = name_;
        calls.sink(std::move(trained));
      }
    return !claim.empty();
  }

  bool has_lost_gpu() const override { return has_lost_gpu_; }

 private:
  EngineName name_;
  bool has_lost_gpu_;
};

}  // namespace

TEST_CASE("lanes tell whether a GPU has failed, so that another job may train the rest") {
  const Communicator self = Communicator::self();
  const RunOptions options;
  const RemainingIterations work({{0, 4}});
  Placement placement;
  placement.lanes = {{0, 1}};
  for (const bool is_of_gpu : {true, false}) {
    const LaneSetup setup{options, [&](int) { return std::make_unique<FailingEngine>(is_of_gpu); }, placement, nullptr};
    const StageWork stage{PartitionKind::block, work, 4, nullptr, nullptr, nullptr, [] { return no_stop; }};
    WorkSource source(1, self, self);
    source.begin(stage.partition, 4);
    {
      Lanes lanes(setup, source, 0);
      lanes.begin(stage);
      while (!lanes.failure()) source.service();
      CHECK(lanes.failure()->is_of_gpu == is_of_gpu);
      CHECK(lanes.failure()->message == (is_of_gpu ? "the GPU is lost" : "the disk is full"));
      source.end_lanes();
    }
    source.leave();
  }
}

TEST_CASE("lanes of one rank can use different engines and devices, and results report them") {
  const Communicator self = Communicator::self();
  constexpr std::int64_t total = 40;
  const Scratch scratch("lanes_test_" + std::to_string(Communicator::world().rank()));
  JournalWriter journal(journal_path(begin_attempt(scratch.path.string()), 0), {"0.1.0", "study", "data"});
  const RunOptions options;
  const RemainingIterations work({{0, total}});
  Placement placement;
  placement.lanes = {{7, 1}, {7, 1}, {-1, 1}, {-1, 1}, {7, 1}};
  // Lane 1 has a GPU, but its engine does not use it. That of lane 4 has failed.
  const std::vector<const char*> engines = {torch_engine_name, native_engine_name, torch_engine_name,
                                            native_engine_name, torch_engine_name};
  const EngineFactory make_engine = [&](int lane) {
    return std::make_unique<NamedEngine>(engines.at(static_cast<std::size_t>(lane)), lane == 4);
  };
  const LaneSetup setup{options, make_engine, placement, &journal};
  const StageWork stage{PartitionKind::block, work, total, nullptr, nullptr, nullptr, [] { return no_stop; }};
  WorkSource source(5, self, self);
  source.begin(stage.partition, total);
  {
    Lanes lanes(setup, source, 3);
    lanes.begin(stage);
    while (!lanes.wait(0.01)) source.service();
    REQUIRE_FALSE(lanes.failure());
    source.end_lanes();
  }
  source.leave();
  journal.close();

  std::set<std::int32_t> seen;
  const ResultStore results = journal.take_results();
  REQUIRE(results.size() == total);
  for (const JournaledIteration& iteration : results) {
    const IterationResult& result = iteration.trained.result;
    seen.insert(result.lane);
    CHECK(result.rank == 3);
    CHECK(result.engine == engines.at(static_cast<std::size_t>(result.lane)));
    CHECK(result.gpu == (result.lane == 0 ? 7 : -1));
  }
  CHECK(seen == std::set<std::int32_t>{0, 1, 2, 3, 4});
}
