// SPDX-License-Identifier: MIT
#include "commands/importance/importance_command.hpp"

#include <filesystem>

#include "commands/importance/importance_arguments.hpp"
#include "commands/importance/importance_job.hpp"
#include "commands/importance/importance_report.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "runs/directory/run_directory.hpp"

namespace sheaf {
namespace {

ExitCode run(const CommandCall& call, const Communicator& world) {
  ImportanceArguments arguments;
  agree(world, [&] { arguments = parse_importance_arguments(call.arguments); });
  const ImportanceRequest& request = arguments.request;
  const ImportanceResult result = compute_importances(request, world);
  agree(world, [&] {
    if (!world.is_root()) return;
    if (request.save) log_root(fmt::format("wrote '{}'", importance_path(request.evaluation.model)));
    print_job_result(importance_output(result, arguments.format));
  });
  return ExitCode::done;
}

}  // namespace

Command importance_command() {
  return {"importance",
          "MODEL FILE [--key=value ...]",
          "compute how much a trained model needs each feature of a data file",
          importance_help,
          importance_options,
          run};
}

}  // namespace sheaf
