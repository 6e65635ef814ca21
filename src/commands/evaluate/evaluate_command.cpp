// SPDX-License-Identifier: MIT
#include "commands/evaluate/evaluate_command.hpp"

#include "commands/evaluate/evaluate_arguments.hpp"
#include "commands/evaluate/evaluation_job.hpp"

namespace sheaf {
namespace {

ExitCode run(const CommandCall& call, const Communicator& world) {
  evaluate_and_report([&] { return parse_evaluate_arguments(call.arguments); }, world);
  return ExitCode::done;
}

}  // namespace

Command evaluate_command() {
  return {"evaluate",
          "MODEL --data.file=FILE [--key=value ...]",
          "compute loss, metrics and predictions of a trained model",
          evaluate_help,
          evaluate_options,
          run};
}

}  // namespace sheaf
