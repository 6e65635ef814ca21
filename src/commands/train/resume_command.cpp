// SPDX-License-Identifier: MIT
#include "commands/train/resume_command.hpp"

#include "commands/train/study_arguments.hpp"
#include "commands/train/train_job.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Continues a run that was stopped or killed. It can use any number of ranks, trains failed iterations again, and
writes the same results as a run that was never stopped. These keys may be changed: study.name, the paths in data.file,
data.validation_file and data.test_file (to the same data), and all of [run] except output, engine, stack, curves,
metrics and predictions. run.device and run.threads must suit the engine of the run, and may change the last digits of
LibTorch's losses. search.trials of a search by random or tpe, study.iterations without searched keys, and
search.repeats of a search whose trials do not depend on results may be increased, or reduced to the trials or repeats
that have results. search.time and search.patience may be changed. The lists and ranges of searched keys in a search by
random, tpe or grid may be changed: they hold for new trials, and trials with results keep theirs. Each such change
writes study-2.cfg, study-3.cfg, ... The run keeps the values that were chosen for keys with the default auto when it
began.

  --force    continue even if the data file, a model file or the version of sheaf has changed

--help SECTION shows the keys of one section, e.g. --help run.
)";
}

const LineOptions& options() {
  static const LineOptions all{all_keys(), {}, {"force"}};
  return all;
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  Study study;
  RunRequest request{call.command_line, true};
  agree(world, [&] {
    const Arguments arguments = split_arguments("resume", options(), call.arguments);
    request.force = arguments.has_flag("force");
    study = study_of_run("resume", arguments, request.force);
  });
  return execute_run(study, request, world);
}

}  // namespace

Command resume_command() {
  return {
      "resume", "RUN_DIR [--force] [--key=value ...]", "continue a run that was stopped or killed", help, options, run,
      true};
}

}  // namespace sheaf
