// SPDX-License-Identifier: MIT
#include "run/stop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <charconv>
#include <csignal>
#include <limits>
#include <utility>

namespace sheaf {
namespace {

constexpr std::array<std::pair<int, const char*>, 4> watched = {
    {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}}};

std::atomic<int> first_signal{0};
std::atomic<bool> interrupted{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free, "set by a handler");

std::array<struct sigaction, watched.size()> earlier_actions;

extern "C" void note_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  if (number == SIGINT && interrupted.exchange(true)) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);  // comes when the handler is left
  }
}

}  // namespace

std::string stop_text(StopCause cause) {
  if (cause == time_is_up) return "run.time_limit";
  if (cause == iteration_failed) return "an iteration failed";
  for (const auto& [number, name] : watched)
    if (cause == number) return name;
  return fmt::format("cause {}", cause);
}

double seconds_until_stop(const TimeLimit& limit, const std::string& slurm_end, double now) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (limit.kind == TimeLimit::Kind::none) return never;
  if (limit.kind == TimeLimit::Kind::seconds) return static_cast<double>(limit.seconds);
  std::int64_t end = 0;
  const auto [stop, error] = std::from_chars(slurm_end.data(), slurm_end.data() + slurm_end.size(), end);
  if (error != std::errc{} || stop != slurm_end.data() + slurm_end.size()) return never;
  const double left = static_cast<double>(end) - now;
  return std::max(0.0, left - std::clamp(left / 20, 10.0, 300.0));
}

StopSignals::StopSignals() {
  first_signal = 0;
  interrupted = false;
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t index = 0; index < watched.size(); ++index)
    sigaction(watched[index].first, &action, &earlier_actions[index]);
}

StopSignals::~StopSignals() {
  for (std::size_t index = 0; index < watched.size(); ++index)
    sigaction(watched[index].first, &earlier_actions[index], nullptr);
}

StopCause StopSignals::received() const {
  return first_signal.load();
}

}  // namespace sheaf
