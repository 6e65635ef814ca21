// SPDX-License-Identifier: MIT
#include "commands/train/run_command.hpp"

#include "commands/train/study_arguments.hpp"
#include "commands/train/train_job.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Runs every iteration of the study and writes the run directory (run.output): study.cfg with all keys,
journal/, results.h5, results.csv and, with run.models, models/.

  --resume   continue the study if the run directory exists
  --force    with --resume: continue even if the data file, a model file or the version of sheaf has changed

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
      throw UsageError("--force only works together with --resume. Leave it out, or add --resume.");
    study = study_from_arguments("run", arguments);
  });
  return execute_run(study, request, world);
}

}  // namespace

Command run_command() {
  return {"run",
          "STUDY.cfg [--resume [--force]] [--key=value ...]",
          "train all models of a study and write the results",
          help,
          run,
          true};
}

}  // namespace sheaf
