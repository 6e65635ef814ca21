// SPDX-License-Identifier: MIT
#include "commands/evaluate/predict_command.hpp"

#include "commands/evaluate/evaluate_arguments.hpp"
#include "commands/evaluate/evaluation_job.hpp"

namespace sheaf {
namespace {

ExitCode run(const CommandCall& call, const Communicator& world) {
  evaluate_and_report([&] { return parse_predict_arguments(call.arguments); }, world);
  return ExitCode::done;
}

}  // namespace

Command predict_command() {
  return {"predict",
          "MODEL FILE OUT.csv [--key=value ...]",
          "make predictions for the rows of a CSV, NumPy or HDF5 file with a trained model",
          predict_help,
          predict_options,
          run};
}

}  // namespace sheaf
