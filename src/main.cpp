// The main program: runs the command named in the arguments and converts errors to exit codes.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands/command_table.hpp"
#include "commands/text_answer.hpp"
#include "core/allocator.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/log.hpp"
#include "core/problem_list.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/launcher.hpp"
#include "parallel/mpi/session.hpp"

namespace {

using namespace sheaf;

// Returns whether this process prints texts such as help. They are printed without MPI, so that they work on a login
// node; under a launcher only the first process prints them.
bool is_first_process() {
  return launched_rank().value_or("0") == "0";
}

// Logs each problem of the message as an error.
void log_error_lines(const std::string& message) {
  for (const auto& problem : problems_of(message)) log_root("error: " + problem);
}

ExitCode print_text(const std::string& text) try {
  if (is_first_process()) print_result(text);
  return ExitCode::done;
} catch (const RunError& error) {
  log_error_lines(error.what());
  return ExitCode::failed;
}

// The terminate handler. Memory can run out in noexcept code, for example of the standard library; this handler still
// logs a message.
[[noreturn]] void end_program() {
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::exception& error) {
    log_error(message_of(error));
    if (is_out_of_memory(error)) MpiSession::abort(static_cast<int>(ExitCode::failed));
  } catch (...) {
  }
  std::abort();  // a bug in the program
}

// Throws unless all ranks have the same arguments: they decide about collective calls. Collective.
void require_same_arguments(const std::string& command_line, const Communicator& world) {
  require_same_as_root(world, command_line, [&](const std::string& of_root) {
    throw UsageError(
        fmt::format("rank {} has other arguments than rank 0 ('{}'; rank 0: '{}'). Start all ranks with the "
                    "same arguments.",
                    world.rank(), printable(command_line), printable(of_root)));
  });
}

// Initializes MPI, does `work` and finalizes MPI. Logs errors that all ranks know of.
ExitCode run_session(int& argc, char**& argv, const std::function<ExitCode(const Communicator& world)>& work) {
  std::optional<MpiSession> session;
  try {
    session.emplace(argc, argv);
    session->require_threads();
    return work(Communicator::world());
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
  prepare_environment();
  ignore_file_size_signal();
  reserve_standard_streams();
  keep_freed_memory();
  std::set_terminate(end_program);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command* command = nullptr;
  std::optional<AgreedError> unknown_command;
  try {
    if (const auto text = text_answer(arguments)) return static_cast<int>(print_text(*text));
    command = &find_command(arguments);
  } catch (const UsageError& error) {
    if (!launched_rank()) {
      log_error_lines(error.what());
      return static_cast<int>(ExitCode::usage);
    }
    unknown_command = AgreedError(ExitCode::usage, error.what());
  }

  // Stop signals are handled from before MPI is initialized until the process ends. The object is never destroyed, so
  // that a signal while the libraries are unloaded does not end a complete job with another exit code.
  const StopSignals* signals = nullptr;
  if (command != nullptr && command->can_be_stopped) signals = new StopSignals();
  try {
    const CommandCall call{{arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end()},
                           fmt::format("sheaf {}", fmt::join(arguments, " "))};
    return static_cast<int>(run_session(argc, argv, [&](const Communicator& world) {
      if (signals != nullptr) StopSignals::renew();
      require_same_arguments(call.command_line, world);
      // Inside MPI, because a launcher ends the job when the first process fails, perhaps before rank 0 has logged it.
      if (unknown_command) throw AgreedError(*unknown_command);
      return command->run(call, world);
    }));
  } catch (const std::exception& error) {
    log_error(message_of(error));
  }
  // Only this rank has failed. Others may wait for it in a collective call, so end the whole job.
  MpiSession::abort(static_cast<int>(ExitCode::failed));
}
