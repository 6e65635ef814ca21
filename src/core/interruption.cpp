// SPDX-License-Identifier: MIT
#include "core/interruption.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::array<std::pair<int, const char*>, 6> watched = {{{SIGTERM, "SIGTERM"},
                                                                 {SIGINT, "SIGINT"},
                                                                 {SIGHUP, "SIGHUP"},
                                                                 {SIGUSR1, "SIGUSR1"},
                                                                 {SIGUSR2, "SIGUSR2"},
                                                                 {SIGXCPU, "SIGXCPU"}}};

// Signals that end the process unless they are recorded. Handlers of libraries for the first three end it too.
constexpr std::array<int, 10> fatal = {SIGTERM, SIGINT,  SIGHUP,  SIGUSR1, SIGUSR2,
                                       SIGXCPU, SIGQUIT, SIGPIPE, SIGALRM, SIGVTALRM};
constexpr std::size_t ending_handlers = 3;

std::atomic<int> first_signal{0};
std::atomic<bool> interrupted{false};
std::atomic<void (*)()> last_action{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
                  std::atomic<void (*)()>::is_always_lock_free,
              "signal handlers use these");

std::array<struct sigaction, watched.size()> before_recording;
std::array<struct sigaction, fatal.size()> before_cleaning;

void run_last_action() {
  if (void (*const action)() = last_action) action();
}

// The signal is delivered again when the handler returns.
extern "C" void note_signal(int number) {
  int none = 0;
  first_signal.compare_exchange_strong(none, number);
  if (number == SIGINT && interrupted.exchange(true)) {
    run_last_action();
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
}

// On the main thread, which thus cannot create a file again by its name after it was removed.
extern "C" void clean_up_and_end(int number) {
  if (gettid() != getpid()) {
    tgkill(getpid(), getpid(), number);
    return;
  }
  run_last_action();
  for (std::size_t index = 0; index < fatal.size(); ++index)
    if (fatal[index] == number) sigaction(number, &before_cleaning[index], nullptr);
  std::raise(number);
}

bool is_recorded(const struct sigaction& before, int number) {
  return number != SIGHUP || before.sa_handler != SIG_IGN;
}

bool is_left_alone(const struct sigaction& current, std::size_t index) {
  if (current.sa_handler == SIG_DFL) return false;
  return current.sa_handler == SIG_IGN || current.sa_handler == note_signal || current.sa_handler == clean_up_and_end ||
         index >= ending_handlers;
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  interrupted = false;
  for (std::size_t index = 0; index < watched.size(); ++index)
    sigaction(watched[index].first, nullptr, &before_recording[index]);
  renew();
}

StopSignals::~StopSignals() {
  for (std::size_t index = 0; index < watched.size(); ++index)
    sigaction(watched[index].first, &before_recording[index], nullptr);
}

void StopSignals::renew() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  for (std::size_t index = 0; index < watched.size(); ++index)
    if (is_recorded(before_recording[index], watched[index].first)) sigaction(watched[index].first, &action, nullptr);
}

void ignore_file_size_signal() {
  std::signal(SIGXFSZ, SIG_IGN);
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

void call_before_fatal_signals(void (*clean_up)()) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  last_action = clean_up;
  for (std::size_t index = 0; index < fatal.size(); ++index) {
    struct sigaction current {};
    sigaction(fatal[index], nullptr, &current);
    if (is_left_alone(current, index)) continue;
    before_cleaning[index] = current;
    struct sigaction action {};
    action.sa_handler = clean_up_and_end;
    sigaction(fatal[index], &action, nullptr);
  }
}

}  // namespace sheaf
