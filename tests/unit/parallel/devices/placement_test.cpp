// SPDX-License-Identifier: MIT
#include "parallel/devices/placement.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

RankView cpu_view(std::vector<std::int32_t> cores) {
  return {std::move(cores), {}};
}

std::vector<int> gpus_of(const RunOptions& options, const std::vector<RankView>& views) {
  std::vector<int> gpus;
  for (int rank = 0; rank < static_cast<int>(views.size()); ++rank)
    gpus.push_back(place_rank(options, views, rank, "none").lanes.front().gpu);
  return gpus;
}

}  // namespace

TEST_CASE("a single rank has one lane per bound core") {
  const auto placement = place_rank({}, {cpu_view({0, 1, 2, 3})}, 0, "no driver");
  CHECK_FALSE(placement.uses_gpu());
  CHECK(placement.lane_count() == 4);
  CHECK(placement.thread_count() == 4);
  CHECK(placement.bound_cores == 4);
}

TEST_CASE("a rank on cores has a note on GPUs only if the machine has one") {
  RunOptions options;
  CHECK(place_rank(options, {cpu_view({0, 1})}, 0, "no driver", false).note.empty());
  CHECK(place_rank(options, {cpu_view({0, 1})}, 0, "no driver", true).note == "GPU not used: no driver");
  options.device = DeviceRequest::cpu;
  CHECK(place_rank(options, {cpu_view({0, 1})}, 0, "run.device = cpu", true).note.empty());
}

TEST_CASE("ranks bound to the same cores divide them; ranks bound to different cores do not") {
  CHECK(place_rank({}, {cpu_view({0, 1}), cpu_view({0, 1})}, 1, "").lane_count() == 1);
  CHECK(place_rank({}, {cpu_view({0, 1}), cpu_view({2, 3})}, 1, "").lane_count() == 2);
  CHECK(place_rank({}, {cpu_view({0}), cpu_view({0}), cpu_view({0})}, 2, "").lane_count() == 1);
}

TEST_CASE("run.lanes and run.threads are respected, and a note reports more threads than cores") {
  RunOptions options;
  options.device = DeviceRequest::cpu;
  options.lanes = 3;
  const auto placement = place_rank(options, {cpu_view({0, 1})}, 0, "");
  CHECK(placement.lane_count() == 3);
  CHECK(placement.note == "3 lanes x 1 thread on 2 cores");
  options.lanes = 0;
  options.threads = 2;
  CHECK(place_rank(options, {cpu_view({0, 1, 2, 3})}, 0, "").lane_count() == 2);
}

TEST_CASE("ranks get different GPUs, and ranks without a GPU train on the CPU") {
  const RankView view{{0, 1, 2, 3}, {70, 71}};
  RunOptions options;
  CHECK(gpus_of(options, {view, view, view}) == std::vector<int>{0, 1, -1});
  CHECK(place_rank(options, {view, view, view}, 0, "").lane_count() == 1);
  const auto surplus = place_rank(options, {view, view, view}, 2, "");
  CHECK(surplus.lane_count() == 4);
  CHECK(surplus.note == "more ranks than GPUs");
  options.ranks_per_gpu = 2;
  CHECK(gpus_of(options, {view, view, view, view, view}) == std::vector<int>{0, 1, 0, 1, -1});
  CHECK(place_rank(options, {view, view, view}, 0, "").note.find("MPS") != std::string::npos);
}

TEST_CASE("a rank with a GPU can also have lanes on its cores") {
  const RankView view{{0, 1, 2, 3}, {70}};
  RunOptions options;
  options.lanes = 2;
  options.core_lanes = 3;
  const auto gpus = [](const Placement& placement) {
    std::vector<int> of_lanes;
    for (const LaneDevice& lane : placement.lanes) of_lanes.push_back(lane.gpu);
    return of_lanes;
  };
  const Placement both = place_rank(options, {view}, 0, "");
  CHECK(gpus(both) == std::vector<int>{0, 0, -1, -1, -1});
  CHECK(both.uses_gpu());
  CHECK(both.uses_cores());
  CHECK(both.note == "several models share a GPU: without CUDA MPS their kernels run in turn");
  RunOptions sharing;
  sharing.ranks_per_gpu = 2;
  CHECK(place_rank(sharing, {view}, 0, "").note.empty());
  CHECK(place_rank(sharing, {view, view}, 0, "").note == both.note);
  // A rank without a GPU has one lane per core that the other rank does not use.
  options.lanes = 0;
  CHECK(gpus(place_rank(options, {view, view}, 0, "")) == std::vector<int>{0, -1, -1, -1});
  CHECK(place_rank(options, {view, view}, 0, "").note == "3 lanes x 1 thread on 2 cores");
  CHECK(gpus(place_rank(options, {view, view}, 1, "")) == std::vector<int>{-1, -1});
  options.core_lanes = 0;
  CHECK_FALSE(place_rank(options, {view}, 0, "").uses_cores());
  CHECK(place_rank(options, {view, view}, 1, "").lane_count() == 4);
}

TEST_CASE("placement works when the launcher gives each rank its own GPU") {
  CHECK(gpus_of({}, {RankView{{0}, {70}}, RankView{{1}, {71}}}) == std::vector<int>{0, 0});
  CHECK(gpus_of({}, {RankView{{0}, {70}}, RankView{{1}, {70}}}) == std::vector<int>{0, -1});
}

TEST_CASE("run.device = cpu uses no GPUs") {
  RunOptions options;
  options.device = DeviceRequest::cpu;
  CHECK(gpus_of(options, {RankView{{0}, {70}}}) == std::vector<int>{-1});
}

TEST_CASE("run.device = cuda fails when there are no GPUs or too few") {
  RunOptions options;
  options.device = DeviceRequest::cuda;
  CHECK_THROWS_WITH(place_rank(options, {cpu_view({0})}, 0, "no driver"), ContainsSubstring("no driver"));
  const RankView view{{0}, {70}};
  CHECK_THROWS_WITH(place_rank(options, {view, view}, 1, ""), ContainsSubstring("2 ranks share a node with 1 GPU"));
}

TEST_CASE("run.engine = native uses no GPUs") {
  RunOptions options;
  CHECK(may_use_gpus(options));
  options.engine = EngineKind::native;
  CHECK_FALSE(may_use_gpus(options));
  CHECK(gpus_of(options, {{{0, 1}, {7}}}) == std::vector<int>{-1});
  options.engine = EngineKind::by_model;
  CHECK(gpus_of(options, {{{0, 1}, {7}}}) == std::vector<int>{0});
}

TEST_CASE("a note names the cores that mpirun leaves unused") {
  CHECK(unused_cores_note({{{3}, {}}}, 64) == "63 cores are unused; with mpirun, pass --bind-to none");
  CHECK(unused_cores_note({{{0}, {}}, {{1}, {}}}, 3) == "1 core is unused; with mpirun, pass --bind-to none");
  CHECK(unused_cores_note({{{0}, {}}, {{0}, {}}}, 2) == "1 core is unused; with mpirun, pass --bind-to none");
  CHECK(unused_cores_note({{{0}, {}}, {{1}, {}}}, 2).empty());
  CHECK(unused_cores_note({{{0, 1}, {}}}, 64).empty());  // chosen by the user
  CHECK(unused_cores_note({{{0}, {}}}, 1).empty());
}
