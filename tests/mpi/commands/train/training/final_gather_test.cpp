// SPDX-License-Identifier: MIT
#include "commands/train/training/final_gather.hpp"

#include <algorithm>
#include <string>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t total = 80;

// The rank that owns an iteration, or -1 for the earlier attempts. Rank 1 owns no iterations; the other ranks own
// very different numbers of them.
int owner_of(std::int64_t iteration, int ranks) {
  if (iteration % 7 == 3) return -1;
  const auto drawn = static_cast<int>(iteration * iteration % (3 * ranks));
  return drawn % ranks == 1 || drawn >= ranks ? 0 : drawn;
}

// A result whose number determines the length of its curve (0 to 60 epochs) and whether it has a message.
TrainedIteration sample(std::int64_t number) {
  TrainedIteration iteration;
  iteration.result.iteration = number;
  iteration.result.status = number % 11 == 0 ? IterationStatus::failed : IterationStatus::finished;
  iteration.result.final_loss = 0.1 * static_cast<double>(number);
  if (number % 11 == 0) iteration.message = "reason " + std::to_string(number);
  for (std::int64_t epoch = 0; epoch < number % 61; ++epoch)
    iteration.epochs.push_back({number, epoch, 0.5, 0.25, static_cast<double>(epoch)});
  return iteration;
}

PredictionsLocation place_of(std::int64_t number) {
  return number % 5 == 0 ? PredictionsLocation{number, 4, static_cast<std::uint32_t>(number)} : PredictionsLocation{};
}

struct Stores {
  ResultStore own, earlier;
};

// This rank's results, in an order that is not ascending.
Stores stores_of(const Communicator& world) {
  Stores stores;
  for (std::int64_t step = 0; step < total; ++step) {
    const std::int64_t number = step * 77 % total;
    const int owner = owner_of(number, world.size());
    if (owner == world.rank())
      stores.own.append(sample(number), place_of(number), static_cast<std::size_t>(world.rank()));
    if (owner == -1 && world.is_root()) stores.earlier.append(sample(number), place_of(number), 2);
  }
  stores.own.settle();
  stores.earlier.settle();
  return stores;
}

void check_sample(const JournaledIteration& found, std::int64_t number, int ranks) {
  const TrainedIteration expected = sample(number);
  const int owner = owner_of(number, ranks);
  bool same = found.trained.result.iteration == number && found.trained.result.status == expected.result.status &&
              found.trained.result.final_loss == expected.result.final_loss &&
              found.trained.message == expected.message && found.trained.epochs.size() == expected.epochs.size() &&
              found.file == static_cast<std::size_t>(owner == -1 ? 2 : 3 + owner) &&
              found.predictions.offset == place_of(number).offset;
  for (std::size_t epoch = 0; same && epoch < expected.epochs.size(); ++epoch)
    same = found.trained.epochs[epoch].validation_score == expected.epochs[epoch].validation_score;
  INFO("iteration " << number);
  CHECK(same);
}

}  // namespace

TEST_CASE("gather_results delivers each result once and in order, for any nodes and window sizes") {
  const Communicator world = Communicator::world();
  const Stores stores = stores_of(world);
  for (const int ranks_per_node : {1, 2, world.size()}) {
    const Communicator node = world.split(world.rank() / ranks_per_node);
    const Communicator leaders = world.split(node.is_root() ? 0 : -1);
    const GatherRoute route(world, node, leaders, without_limit());
    // The longest result has more than 2000 bytes.
    for (const WindowLimits limits : {WindowLimits{}, WindowLimits{7, 1 << 20}, WindowLimits{100, 1500},
                                      WindowLimits{1, 1}, WindowLimits{10000, 20000}}) {
      std::int64_t next = 0, windows = 0;
      gather_results(stores.own, stores.earlier, 3, {0, total}, limits, route,
                     [&](const std::vector<GatheredResult>& window) {
                       std::int64_t bytes = 0;
                       for (const auto& result : window) {
                         check_sample(result.unpack(), next++, world.size());
                         bytes += static_cast<std::int64_t>(result.result.size());
                       }
                       CHECK(static_cast<std::int64_t>(window.size()) <= limits.iterations);
                       CHECK((bytes <= limits.bytes || window.size() == 1));
                       ++windows;
                     });
      CHECK(next == (world.is_root() ? total : 0));
      CHECK(windows <= total);
    }
  }
}

TEST_CASE("an error of rank 0 while it processes a window is thrown on all ranks") {
  const Communicator world = Communicator::world();
  const Stores stores = stores_of(world);
  const Communicator node = world.split(world.rank() / 2);
  const Communicator leaders = world.split(node.is_root() ? 0 : -1);
  const GatherRoute route(world, node, leaders, without_limit());
  for (const std::int64_t failing : {std::int64_t{0}, total / 2, total - 1}) {
    std::int64_t next = 0;
    const auto gather = [&] {
      gather_results(stores.own, stores.earlier, 3, {0, total}, {10, 1 << 20}, route,
                     [&](const std::vector<GatheredResult>& window) {
                       next += static_cast<std::int64_t>(window.size());
                       if (next > failing) throw RunError("the disk is full");
                     });
    };
    CHECK_THROWS_WITH(gather(), "the disk is full");
    CHECK(next <= failing + 10);  // no window follows the failed one
  }
}

TEST_CASE("gather_results throws when no rank has an iteration") {
  const Communicator world = Communicator::world();
  const Stores stores = stores_of(world);
  const Communicator alone = Communicator::self();
  const GatherRoute route(world, world, alone, without_limit());
  CHECK_THROWS_WITH(gather_results(stores.own, stores.earlier, 3, {0, total + 1}, {}, route, [](const auto&) {}),
                    "the result of iteration 80 is missing on all ranks. Train the iteration again with sheaf resume.");
}
