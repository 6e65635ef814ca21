// SPDX-License-Identifier: MIT
#include "commands/preprocess/preprocess_command.hpp"

#include "commands/preprocess/preprocess_arguments.hpp"
#include "commands/preprocess/preprocess_job.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

ExitCode run(const CommandCall& call, const Communicator& world) {
  PreprocessRequest request;
  agree(world, [&] { request = parse_preprocess_arguments(call.arguments); });
  execute_preprocess(request, world);
  return ExitCode::done;
}

}  // namespace

Command preprocess_command() {
  return {"preprocess",
          "IN.h5 OUT.h5 [--key=value ...]",
          "resize, scale and cast the features of a data file",
          preprocess_help,
          preprocess_options,
          run};
}

}  // namespace sheaf
