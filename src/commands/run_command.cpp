// SPDX-License-Identifier: MIT
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "mpi/agreement.hpp"
#include "run/execute_run.hpp"

namespace sheaf {

ExitCode run_command(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line};
  agree(world, [&] {
    auto words = call.words;
    request.resume = take_flag(words, "--resume");
    request.force = take_flag(words, "--force");
    if (request.force && !request.resume)
      throw UsageError("--force goes with --resume (a new run has nothing to force). Leave it out, or add --resume.");
    study = study_from_words("run", words);
  });
  return execute_run(study, request, world);
}

}  // namespace sheaf
