// SPDX-License-Identifier: MIT
#include "commands/train/training/final_gather.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

TrainedIteration record_of(std::int64_t number, IterationStatus status, double loss) {
  TrainedIteration iteration;
  iteration.result.iteration = number;
  iteration.result.status = status;
  iteration.result.final_loss = loss;
  return iteration;
}

}  // namespace

TEST_CASE("windows cover all iterations in order and within their limits, for any sizes of results") {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const auto total = static_cast<std::int64_t>(random() % 3000);
    const WindowLimits limits{static_cast<std::int64_t>(1 + random() % 300),
                              static_cast<std::int64_t>(1 + random() % 5000)};
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(total));
    for (auto& size : sizes) size = static_cast<std::int64_t>(random() % 20 == 0 ? random() % 9000 : random() % 200);
    std::int64_t next = 0, taken = 0, proposed = 0;
    for (WindowPlan plan({0, total}, limits); !plan.at_end();) {
      const IndexRange window = plan.window();
      REQUIRE(window.begin == next);
      REQUIRE((window.end <= total && !window.empty() && window.count() <= limits.iterations));
      std::int64_t bytes = 0;
      for (std::int64_t number = window.begin; number < window.end; ++number)
        bytes += sizes[static_cast<std::size_t>(number)];
      ++proposed;
      if (!plan.accept(bytes)) {
        REQUIRE((plan.window().begin == window.begin && plan.window().count() < window.count()));
        continue;
      }
      CHECK((bytes <= limits.bytes || window.count() == 1));
      next = window.end;
      ++taken;
      plan.next();
    }
    CHECK(next == total);
    CHECK(proposed <= 10 * taken);
  }
}

TEST_CASE("results of equal size need few windows and no rejected proposals") {
  constexpr std::int64_t total = 1000000, result_bytes = 120;
  std::int64_t taken = 0, proposed = 0;
  for (WindowPlan plan({0, total}, {}); !plan.at_end();) {
    ++proposed;
    if (!plan.accept(result_bytes * plan.window().count())) continue;
    ++taken;
    plan.next();
  }
  CHECK(taken == 62);
  CHECK(proposed == 62);
}

// The expected entries come from an independent implementation: a map from iterations to their results.
TEST_CASE("of an iteration's entries, the first that is not failed counts, or else the last") {
  std::mt19937 random(5);
  const IndexRange window{100, 120};
  for (int round = 0; round < 500; ++round) {
    ResultStore earlier, own;
    std::map<std::int64_t, std::vector<TrainedIteration>> by_iteration;
    const auto add = [&](ResultStore& store, std::int64_t number) {
      const auto status = static_cast<IterationStatus>(1 + random() % 3);
      by_iteration[number].push_back(record_of(number, status, static_cast<double>(random())));
      store.append(by_iteration[number].back(), {}, 1);
    };
    for (std::int64_t number = window.begin; number < window.end; ++number) {
      const auto in_earlier = random() % 4, in_own = random() % 3;
      for (std::uint64_t copy = 0; copy < in_earlier; ++copy) add(earlier, number);
      for (std::uint64_t copy = 0; copy < in_own + (in_earlier == 0 ? 1 : 0); ++copy) add(own, number);
    }
    earlier.settle();
    own.settle();
    std::vector<GatheredResult> results;
    for (std::size_t index = 0; index < earlier.size(); ++index) results.push_back({earlier.packed(index), 0});
    for (std::size_t index = 0; index < own.size(); ++index) results.push_back({own.packed(index), 10});
    const auto merged = merge_window(window, results);
    REQUIRE(merged.size() == 20);
    for (std::int64_t number = window.begin; number < window.end; ++number) {
      const auto& known = by_iteration[number];
      const auto counts = std::find_if(known.begin(), known.end(), [](const TrainedIteration& iteration) {
        return iteration.result.status != IterationStatus::failed;
      });
      const auto& expected = counts == known.end() ? known.back() : *counts;
      const auto found = merged[static_cast<std::size_t>(number - window.begin)].unpack();
      CHECK(found.trained.result.iteration == number);
      CHECK(found.trained.result.final_loss == expected.result.final_loss);
    }
  }
}

TEST_CASE("a window with a missing result is an error that names the iteration") {
  ResultStore store;
  store.append(record_of(3, IterationStatus::finished, 1), {}, 0);
  store.settle();
  CHECK_THROWS_WITH(merge_window({3, 5}, {{store.packed(0), 0}}),
                    "the result of iteration 4 is missing on all ranks. Train the iteration again with sheaf resume.");
}
