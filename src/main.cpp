// sheaf trains many models in one MPI job. This file: from argv to a command, from errors to exit codes.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_table.hpp"
#include "core/allocator.hpp"
#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/log.hpp"
#include "core/standard_output.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/launcher.hpp"
#include "parallel/mpi/session.hpp"

namespace {

using namespace sheaf;

// Texts are answered without MPI, so that they work on a login node; under a launcher its first process speaks.
bool is_first_process() {
  return launched_rank().value_or("0") == "0";
}

// One line of several problems each, so that every line says that it is an error.
void log_error_lines(const std::string& message) {
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    if (end > begin) log_root("error: " + message.substr(begin, end - begin));
    begin = end + 1;
  }
}

ExitCode print_answer(const std::string& text) try {
  if (is_first_process()) print_result(text);
  return ExitCode::done;
} catch (const RunError& error) {
  log_error_lines(error.what());
  return ExitCode::failed;
}

// Memory may run out in code that must not throw, the standard library's or another's: a sentence then, too.
[[noreturn]] void end_program() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    log_error(message_of(error));
    if (is_out_of_memory(error)) MpiSession::abort(static_cast<int>(ExitCode::failed));
  } catch (...) {
  }
  std::abort();  // a defect of the program
}

// MPI and the command in it, from start to end. Reports errors that all ranks know of, and then ends MPI in order.
ExitCode run_session(int& argc, char**& argv, const Command& command, const CommandCall& call) {
  std::optional<MpiSession> session;
  try {
    session.emplace(argc, argv);
    session->require_threads();
    return command.run(call, Communicator::world());
  } catch (const AgreedError& error) {
    if (error.code() == ExitCode::stopped)
      log_root(error.what());
    else
      log_error_lines(error.what());
    return error.code();
  }
}

}  // namespace

int main(int argc, char** argv) {
  reserve_standard_streams();
  keep_freed_memory();
  std::set_terminate(end_program);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (const auto answer = text_answer(arguments)) return static_cast<int>(print_answer(*answer));
  const Command* command = nullptr;
  try {
    command = &find_command(arguments);
  } catch (const UsageError& error) {
    if (is_first_process()) log_error_lines(error.what());
    return static_cast<int>(ExitCode::usage);
  }

  // Signals are caught before MPI starts and after it has ended, too.
  std::optional<StopSignals> signals;
  if (command->can_be_stopped) signals.emplace();
  try {
    const CommandCall call{{arguments.begin() + 1, arguments.end()},
                           fmt::format("sheaf {}", fmt::join(arguments, " "))};
    return static_cast<int>(run_session(argc, argv, *command, call));
  } catch (const std::exception& error) {
    log_error(message_of(error));
  }
  // This rank failed alone: the others wait for it somewhere, so the whole job ends here.
  MpiSession::abort(static_cast<int>(ExitCode::failed));
}
