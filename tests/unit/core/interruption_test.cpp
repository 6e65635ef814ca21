// SPDX-License-Identifier: MIT
#include "core/interruption.hpp"

#include <csignal>

#include "core/error.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("StopSignals records the first signal while it exists, and restores the handlers afterwards") {
  struct sigaction before {
  }, after{};
  sigaction(SIGUSR1, nullptr, &before);
  {
    const StopSignals signals;
    CHECK(noted_signal() == 0);
    CHECK_NOTHROW(leave_if_interrupted());
    std::raise(SIGUSR1);
    std::raise(SIGTERM);
    CHECK(noted_signal() == SIGUSR1);
    CHECK_THROWS_WITH(leave_if_interrupted(),
                      "stopped before the training began (SIGUSR1). Start it again with the same command.");
    CHECK_THROWS_AS(leave_if_interrupted(), Interrupted);
  }
  sigaction(SIGUSR1, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
  const StopSignals signals;
  CHECK(noted_signal() == 0);
}

TEST_CASE("signal_name returns the name of a signal") {
  CHECK(signal_name(SIGTERM) == "SIGTERM");
  CHECK(signal_name(SIGUSR2) == "SIGUSR2");
  CHECK(signal_name(50) == "signal 50");
}
