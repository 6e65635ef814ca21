// SPDX-License-Identifier: MIT
#include "commands/train/run_command.hpp"

#include "commands/train/study_arguments.hpp"
#include "commands/train/train_job.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Runs every iteration of the study and writes the run directory (run.output): study.cfg with all keys,
journal/, results.h5, results.csv, summary.json, README.txt (how to use the results) and, if models are saved,
models/.

  --resume   continue the study if the run directory exists
  --force    with --resume: continue even if the data file, a model file or the version of sheaf has changed

)" + study_help();
}

const LineOptions& options() {
  static const LineOptions all{all_keys(), {}, {"resume", "force"}};
  return all;
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line};
  agree(world, [&] {
    const Arguments arguments = split_arguments("run", options(), call.arguments);
    request.resume = arguments.has_flag("resume");
    request.force = arguments.has_flag("force");
    if (request.force && !request.resume)
      throw UsageError("--force only works together with --resume. Leave it out, or add --resume.");
    study = study_from_arguments("run", arguments);
  });
  return execute_run(study, request, world);
}

}  // namespace

Command run_command() {
  return {"run",
          "STUDY.cfg|DATA.h5 [--resume [--force]] [--key=value ...]",
          "train all models of a study and write the results",
          help,
          options,
          run,
          true};
}

}  // namespace sheaf
