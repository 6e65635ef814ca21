// SPDX-License-Identifier: MIT
#include "commands/commands.hpp"
#include "commands/evaluate_words.hpp"
#include "core/standard_output.hpp"
#include "mpi/agreement.hpp"
#include "results/evaluation_report.hpp"
#include "run/execute_evaluate.hpp"

namespace sheaf {

void evaluate_command(const CommandCall& call, const Communicator& world) {
  EvaluateWords words;
  agree(world, [&] { words = parse_evaluate_words(call.words); });
  const EvaluationReport report = execute_evaluate(words.request, world);
  agree(world, [&] {
    if (world.is_root()) print_result(words.json ? evaluation_json(report) : evaluation_text(report));
  });
}

}  // namespace sheaf
