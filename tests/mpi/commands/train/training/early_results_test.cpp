// SPDX-License-Identifier: MIT
#include "commands/train/training/early_results.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

IterationResult result_of(std::int64_t number) {
  IterationResult result;
  result.iteration = number;
  result.status = number % 7 == 0 ? IterationStatus::diverged : IterationStatus::finished;
  result.final_loss = 0.1 * static_cast<double>(number);
  result.validation_loss = 1.0 / static_cast<double>(1 + number);
  result.validation_score = static_cast<double>(number);
  return result;
}

}  // namespace

TEST_CASE("rank 0 is not over before it has taken its own results") {
  const Communicator channel = Communicator::world().split(0);
  EarlyResults results(channel);
  results.end();
  while (!results.is_over()) results.service();
  if (channel.is_root()) {
    results.add(result_of(1));
    CHECK(!results.is_over());
    CHECK(results.service().size() == 1);
    CHECK(results.is_over());
  }
}

TEST_CASE("every result of every rank reaches rank 0 once, while lanes add others") {
  const Communicator world = Communicator::world();
  const Communicator channel = world.split(0);
  for (const std::int64_t per_rank : {0, 1, 5000}) {  // stages that use the same channel
    EarlyResults results(channel);
    const std::int64_t own = per_rank * (world.rank() % 3);  // some ranks have none
    const std::int64_t first = per_rank * world.size() * 2 + 10000 * world.rank();
    std::atomic<int> adding{2};
    std::vector<std::thread> lanes;
    for (std::int64_t lane = 0; lane < 2; ++lane)
      lanes.emplace_back([&, lane] {
        for (std::int64_t i = lane; i < own; i += 2) results.add(result_of(first + i));
        --adding;
      });
    std::vector<EarlyResult> arrived;
    while (!results.is_over()) {
      if (adding == 0) results.end();
      const auto now = results.service();
      arrived.insert(arrived.end(), now.begin(), now.end());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    for (std::thread& lane : lanes) lane.join();
    world.barrier();
    const std::int64_t all = world.sum(own);
    if (!world.is_root()) {
      CHECK(arrived.empty());
      continue;
    }
    REQUIRE(static_cast<std::int64_t>(arrived.size()) == all);
    std::vector<bool> seen(static_cast<std::size_t>(10000 * world.size() + per_rank * (2 * world.size() + 3)));
    std::int64_t wrong = 0;
    for (const EarlyResult& result : arrived) {
      const auto index = static_cast<std::size_t>(result.iteration);
      const IterationResult expected = result_of(result.iteration);
      wrong += seen[index] || result.result.status != expected.status ||
               result.result.final_loss != expected.final_loss ||
               result.result.validation_loss != expected.validation_loss ||
               result.result.validation_score != expected.validation_score;
      seen[index] = true;
    }
    CHECK(wrong == 0);
  }
}
