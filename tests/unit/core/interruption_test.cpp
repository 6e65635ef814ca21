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

TEST_CASE("every signal that asks a job to end is recorded") {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU}) {
    const StopSignals signals;
    std::raise(number);
    CHECK(noted_signal() == number);
  }
}

TEST_CASE("SIGHUP remains ignored, as nohup demands") {
  std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals signals;
    std::raise(SIGHUP);
    CHECK(noted_signal() == 0);
  }
  CHECK(std::signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

TEST_CASE("handlers that a library has replaced can be installed again") {
  const StopSignals signals;
  std::signal(SIGTERM, SIG_IGN);
  StopSignals::renew();
  std::raise(SIGTERM);
  CHECK(noted_signal() == SIGTERM);
}

TEST_CASE("signal_name returns the name of a signal") {
  CHECK(signal_name(SIGTERM) == "SIGTERM");
  CHECK(signal_name(SIGUSR2) == "SIGUSR2");
  CHECK(signal_name(50) == "signal 50");
}
