// SPDX-License-Identifier: MIT
#include "commands/status/status_command.hpp"

#include "commands/line/arguments.hpp"
#include "core/error.hpp"
#include "core/problem_list.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "report/status_report.hpp"
#include "runs/run_reader.hpp"
#include "runs/run_status.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Shows the state of a run from its directory: whether a job is at work, how many iterations are done, the best
trial so far, iterations that failed, and the time left. Needs neither the data nor write permission and does not
disturb a job, so it can be used at any time and on any machine that sees the directory.

  --output=text|json     text (default), or one JSON object on one line (jobs/RESULTS.md describes its members)

The time left follows from the number of iterations per second of the current job. An ensemble is ranked by the mean of
its members. The summary of a finished run ranks the ensembles themselves.
)";
}

const LineOptions& options() {
  static const LineOptions all{{}, {"output"}, {}};
  return all;
}

enum class Format { text, json };

ExitCode run(const CommandCall& call, const Communicator& world) {
  agree(world, [&] {
    const Arguments arguments = split_arguments("status", options(), call.arguments);
    const std::string directory =
        only_name(arguments, "status", "run directory", "Write: sheaf status RUN_DIR [--output=json].");
    if (!arguments.problems.empty()) throw UsageError(problem_list(arguments.problems));
    auto format = Format::text;
    for (const auto& [name, text] : arguments.assignments)
      format = option_value(choice<Format>({{"text", Format::text}, {"json", Format::json}}), name, text);
    if (!world.is_root()) return;
    const RunState run = read_run(directory);
    const RunStatus status = status_of(run);
    print_job_result(format == Format::json ? status_json(run, status) : status_text(run, status));
  });
  return ExitCode::done;
}

}  // namespace

Command status_command() {
  return {
      "status", "RUN_DIR [--output=text|json]", "show the state of a run, also while a job trains it", help, options,
      run};
}

}  // namespace sheaf
