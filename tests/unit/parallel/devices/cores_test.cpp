// SPDX-License-Identifier: MIT
#include "parallel/devices/cores.hpp"

#include <sched.h>

#include "parallel/devices/gpus.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("bound cores follow the affinity mask") {
  const BoundCores all = find_bound_cores();
  REQUIRE(!all.cores.empty());
  CHECK(static_cast<std::int32_t>(all.cores.size()) <= all.machine_cores);
  CHECK(all.memory_bytes > 0);

  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(find_bound_cores().cores.size() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
}

TEST_CASE("find_gpus returns GPUs or the reason that there are none") {
  const VisibleGpus visible = find_gpus();
  CHECK(visible.gpus.empty() != visible.none_reason.empty());
}
