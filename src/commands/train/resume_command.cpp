// SPDX-License-Identifier: MIT
#include "commands/train/resume_command.hpp"

#include "commands/train/study_arguments.hpp"
#include "commands/train/train_job.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Trains what a run has left that was stopped or killed, and what failed in it, on any number of ranks, and
writes its results: the same as those of a run that nothing stopped. Keys that cannot change results may
be given anew: those of [run] but engine and curves, and data.file. What auto stood for in data.mode and
run.engine was settled and stored when the run was opened, and is kept.

  --force    go on although the data file, a model file or the version of the program has changed
)";
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line, true};
  agree(world, [&] {
    auto arguments = call.arguments;
    request.force = take_flag(arguments, "--force");
    study = study_of_run(arguments, request.force);
  });
  return execute_run(study, request, world);
}

}  // namespace

Command resume_command() {
  return {"resume", "RUN_DIR [--force] [--key=value ...]", "train what a run that stopped or died has left", help, run,
          true};
}

}  // namespace sheaf
