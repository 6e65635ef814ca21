// SPDX-License-Identifier: MIT
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "mpi/agreement.hpp"
#include "run/execute_run.hpp"

namespace sheaf {

ExitCode resume_command(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line, true};
  agree(world, [&] {
    auto words = call.words;
    request.force = take_flag(words, "--force");
    study = study_of_run(words, request.force);
  });
  return execute_run(study, request, world);
}

}  // namespace sheaf
