// SPDX-License-Identifier: MIT
#include "run/execute_run.hpp"

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "mpi/agreement.hpp"

namespace sheaf {

void run_command(const CommandCall& call, const Communicator& world) {
  Study study;
  agree(world, [&] { study = study_from_words("run", call.words); });
  execute_run(study, call.command_line, world);
}

}  // namespace sheaf
