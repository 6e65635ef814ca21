// Prints how long lanes wait in searches, on a simulated clock. See README.md.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "bench/simulated_search.hpp"
#include "bench/simulated_studies.hpp"

using namespace sheaf;
using namespace sheaf::bench;

int main(int argc, char** argv) {
  const std::uint64_t seeds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20;
  std::printf("%-32s %6s %6s %11s %11s %11s %11s\n", "search", "trials", "lanes", "idle (%)", "list (%)", "points",
              "pruned (%)");
  for (const SimulatedStudy& row : simulated_studies())
    for (const std::int64_t lanes : {2, 8, 64}) {
      const IdleShares shares = mean_idle_shares(row, lanes, seeds);
      std::printf("%-32s %6lld %6lld %11.1f %11.1f %11.1f %11.1f\n", row.name, static_cast<long long>(shares.trials),
                  static_cast<long long>(lanes), 100 * shares.search, 100 * shares.list,
                  100 * (shares.search - shares.list), 100 * shares.pruned);
      std::fflush(stdout);
    }
  return 0;
}
