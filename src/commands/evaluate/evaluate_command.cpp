// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluate_command.hpp"

#include "commands/evaluate/evaluate_arguments.hpp"
#include "commands/evaluate/evaluation_job.hpp"
#include "commands/evaluate/evaluation_report.hpp"
#include "core/standard_output.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

ExitCode run(const CommandCall& call, const Communicator& world) {
  EvaluateArguments arguments;
  agree(world, [&] { arguments = parse_evaluate_arguments(call.arguments); });
  const EvaluationReport report = execute_evaluate(arguments.request, world);
  agree(world, [&] {
    if (world.is_root()) print_result(arguments.json ? evaluation_json(report) : evaluation_text(report));
  });
  return ExitCode::done;
}

}  // namespace

Command evaluate_command() {
  return {"evaluate",
          "MODEL --data.file=F.h5 [--key=value ...]",
          "compute loss, score and predictions of a trained model",
          evaluate_help,
          evaluate_options,
          run};
}

}  // namespace sheaf
