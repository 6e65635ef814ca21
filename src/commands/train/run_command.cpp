// SPDX-License-Identifier: MIT
#include "commands/train/run_command.hpp"

#include "commands/train/study_arguments.hpp"
#include "commands/train/train_job.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Trains every iteration of the study and writes a run directory (run.output):
study.cfg (all keys as used), journal/, results.h5, results.csv, with run.models also models/. With
--resume it goes on where that directory holds an unfinished run of the study.

)" + study_help();
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line};
  agree(world, [&] {
    auto arguments = call.arguments;
    request.resume = take_flag(arguments, "--resume");
    request.force = take_flag(arguments, "--force");
    if (request.force && !request.resume)
      throw UsageError("--force goes with --resume (a new run has nothing to force). Leave it out, or add --resume.");
    study = study_from_arguments("run", arguments);
  });
  return execute_run(study, request, world);
}

}  // namespace

Command run_command() {
  return {"run",
          "STUDY.cfg [--resume [--force]] [--key=value ...]",
          "train a study; its final losses are gathered on rank 0",
          help,
          run,
          true};
}

}  // namespace sheaf
