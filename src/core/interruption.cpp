// SPDX-License-Identifier: MIT
#include "core/interruption.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <csignal>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::array<std::pair<int, const char*>, 4> watched = {
    {{SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}}};

std::atomic<int> first_signal{0};
std::atomic<bool> interrupted{false};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free,
              "a signal handler sets these");

std::array<struct sigaction, watched.size()> earlier_actions;

extern "C" void note_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  if (number == SIGINT && interrupted.exchange(true)) {
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);  // delivered when the handler returns
  }
}

}  // namespace

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

int noted_signal() {
  return first_signal;
}

std::string signal_name(int number) {
  for (const auto& [known, name] : watched)
    if (known == number) return name;
  return fmt::format("signal {}", number);
}

void leave_if_interrupted() {
  if (const int number = noted_signal())
    throw Interrupted(fmt::format("stopped before the training began ({}). Start it again with the same command.",
                                  signal_name(number)));
}

}  // namespace sheaf
