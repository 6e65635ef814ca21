// SPDX-License-Identifier: MIT
#include "bench/simulated_search.hpp"

#include <cstdint>
#include <set>

#include "bench/simulated_studies.hpp"
#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::bench;

namespace {

std::set<std::int64_t> trained(const SimulatedSearch& search) {
  std::set<std::int64_t> numbers;
  for (const TimedIteration& iteration : search.iterations) CHECK(numbers.insert(iteration.number).second);
  return numbers;
}

}  // namespace

TEST_CASE("on two lanes, searches wait hardly longer than with list scheduling") {
  for (const SimulatedStudy& row : simulated_studies()) {
    INFO(row.name);
    const IdleShares shares = mean_idle_shares(row, 2, 5);
    CHECK(shares.search < 0.02);
    CHECK(shares.search - shares.list < 0.02);
  }
}

TEST_CASE("on 64 lanes, work ahead keeps searches in stages close to list scheduling") {
  for (const SimulatedStudy& row : simulated_studies()) {
    if (!search_method_of(row.method).divides_epochs) continue;
    INFO(row.name);
    const IdleShares shares = mean_idle_shares(row, 64, 20);
    CHECK(shares.search - shares.list < 0.02);
  }
}

TEST_CASE("on 8 lanes, the longest trainings of a stage begin first") {
  for (const SimulatedStudy& row : simulated_studies()) {
    if (row.method != SearchMethod::hyperband) continue;
    const IdleShares shares = mean_idle_shares(row, 8, 20);
    CHECK(shares.search < shares.list);
  }
}

TEST_CASE("a simulated search trains the same iterations on any number of lanes") {
  for (const SimulatedStudy& row : simulated_studies()) {
    if (row.batch_per_lane > 0) continue;
    INFO(row.name);
    const Study study = study_of(row, 1, 1);
    const SimulatedSearch one = simulate_search(study, 1, drawn_result),
                          many = simulate_search(study, 64, drawn_result);
    const std::set<std::int64_t> iterations = trained(one);
    CHECK(trained(many) == iterations);
    CHECK(static_cast<std::int64_t>(iterations.size()) + one.pruned == one.plan.iteration_count());
    CHECK(idle_share(one.iterations, one.seconds, 1) == Approx(0).margin(1e-9));
    CHECK(list_schedule_seconds(study, one, 1) == Approx(one.seconds));
    CHECK(many.seconds < one.seconds / 10);
  }
}
