// SPDX-License-Identifier: MIT
#include "commands/train/training/stop.hpp"

#include <chrono>
#include <csignal>
#include <limits>
#include <string>

#include "study/settings.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

TEST_CASE("run.time_limit = auto leaves time before the end of a Slurm job") {
  constexpr double never = std::numeric_limits<double>::infinity();
  using Kind = TimeLimit::Kind;
  CHECK(seconds_until_stop({Kind::none, 0}, "1000", 0) == never);
  CHECK(seconds_until_stop({Kind::seconds, 90}, "1000", 0) == 90);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "", 0) == never);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "soon", 0) == never);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "4600", 1000) == 3600 - 180);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "1060", 1000) == 50);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "1005", 1000) == 0);
  CHECK(seconds_until_stop({Kind::by_slurm, 0}, "87400", 1000) == 86400 - 300);
}

TEST_CASE("a time limit counts from the start of the job, not from the start of training") {
  using Kind = TimeLimit::Kind;
  JobStart start;
  start.monotonic -= std::chrono::seconds(900);
  start.utc -= 900;
  const auto cause_at = [&](Kind kind, std::int64_t end) {
    return stop_watch({kind, end}, std::to_string(start.utc + end), start)();
  };
  // A Slurm job of 1000 seconds stops training 50 seconds before its end.
  for (const Kind kind : {Kind::by_slurm, Kind::seconds}) {
    CHECK(cause_at(kind, 1000) == no_stop);
    CHECK(cause_at(kind, 900) == time_is_up);
  }
  CHECK(cause_at(Kind::none, 900) == no_stop);
}

TEST_CASE("run.time_limit accepts durations with units and is printed in seconds") {
  Study study = test::plain_study();
  for (const auto& [text, seconds] :
       {std::pair("90", 90), {"90s", 90}, {"45m", 2700}, {"1h30m", 5400}, {"1d2h3m4s", 93784}, {"1h5", 3605}}) {
    apply_setting(study, "run.time_limit", text);
    CHECK(study.run.time_limit.seconds == seconds);
    CHECK(setting_text(study, "run.time_limit") == std::to_string(seconds) + "s");
  }
  for (const char* text : {"", "0", "-5", "1.5h", "h", "5m1h", "1h1h", "10x", "99999999999d"})
    CHECK_THROWS_AS(apply_setting(study, "run.time_limit", text), std::runtime_error);
}

TEST_CASE("stop_text names each cause of a stop") {
  CHECK(stop_text(SIGTERM) == "SIGTERM");
  CHECK(stop_text(SIGUSR2) == "SIGUSR2");
  CHECK(stop_text(time_is_up) == "run.time_limit");
  CHECK(stop_text(iteration_failed) == "an iteration failed");
}
