// SPDX-License-Identifier: MIT
#include "commands/train/training/cut_off.hpp"

#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <thread>

#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/launcher.hpp"
#include "parallel/mpi/session.hpp"
#include "parallel/partition/work_source.hpp"

namespace sheaf {

double network_timeout_of(const RunOptions& options) {
  return options.network_timeout > 0 ? static_cast<double>(options.network_timeout)
                                     : std::numeric_limits<double>::infinity();
}

std::string resume_advice(const std::string& resume_command) {
  return "Finished iterations are in the journal. Continue with: " + resume_command;
}

std::string cut_off_text(const std::string& reason, const std::string& advice) {
  return fmt::format("{}. {}", reason, advice);
}

void end_cut_off(const std::string& message, bool is_leader) {
  if (!is_leader) {
    std::this_thread::sleep_for(std::chrono::seconds(10));
    log_error(message.c_str());
  }
  release_launcher_after();
  MpiSession::abort(static_cast<int>(ExitCode::stopped));
}

WhileWaiting network_limit(const RunOptions& options, const std::string& resume_command, const Communicator& world,
                           const Communicator& node) {
  if (node.size() == world.size()) return without_limit();
  const double timeout_seconds = network_timeout_of(options);
  const std::string message =
      cut_off_text(silence_text("another host", timeout_seconds, timeout_seconds), resume_advice(resume_command));
  return [=, is_leader = node.is_root()](double waited_seconds) {
    if (waited_seconds > timeout_seconds) {
      if (is_leader) log_error(message.c_str());
      end_cut_off(message, is_leader);
    }
    return timeout_seconds;
  };
}

}  // namespace sheaf
