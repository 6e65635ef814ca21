// SPDX-License-Identifier: MIT
#include "parallel/mpi/job_output.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "core/clock.hpp"
#include "core/standard_output.hpp"
#include "parallel/mpi/launcher.hpp"

namespace sheaf {
namespace {

constexpr double longest_wait_seconds = 1;
constexpr auto poll_interval = std::chrono::milliseconds(1);
constexpr auto forwarding = std::chrono::milliseconds(30);  // from the launcher's read to its write

// Whether a reader of the log still has bytes to read. Only pipes and sockets show that.
bool log_is_unread() {
  int bytes = 0;
  return ::ioctl(STDERR_FILENO, FIONREAD, &bytes) == 0 && bytes > 0 && ::isatty(STDERR_FILENO) == 0;
}

void let_launcher_read_log() {
  std::fflush(stderr);
  const auto start = Clock::now();
  while (log_is_unread() && seconds_since(start) < longest_wait_seconds) std::this_thread::sleep_for(poll_interval);
  std::this_thread::sleep_for(forwarding);
}

}  // namespace

void print_job_result(const std::string& text, const std::string& advice) {
  if (launched_rank()) let_launcher_read_log();
  print_result(text, advice);
}

}  // namespace sheaf
