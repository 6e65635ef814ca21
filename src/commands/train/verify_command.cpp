// SPDX-License-Identifier: MIT
#include "commands/train/verify_command.hpp"

#include <algorithm>

#include "commands/train/study_arguments.hpp"
#include "commands/train/verify_job.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

std::string help() {
  return R"(Trains a sample of a run's finished iterations again and compares the results with those in its journals: status,
losses, score, metrics, epochs, steps, curves, held-out predictions and, if the run has saved the model, its weights.
Uses all ranks and lanes, needs the data of the run, writes no file, and can be used while a job trains the run.

  --iterations=N|all     how many iterations (default 10), spread over the run; refits and members of ensembles are
                         iterations, too
  --seed=N               draws another sample (default 0)

The results must have the same bits if the iteration was trained with the same build of sheaf, the same engine and
instruction set and, by LibTorch, the same LibTorch, BLAS and run.threads. Otherwise, and on GPUs, they must agree to
rounding: losses to 1 %, scores, metrics and the mean of predictions to 0.02 or 2 %, with float64 to 1e-7; integers
exactly. A training that amplifies rounding errors, for example with a learning rate near divergence, may differ by more.
The report says which comparison it made and why.

Iterations that were not trained to their end are left out. A diverged iteration must diverge again. Iterations that
continued an earlier stage or a checkpoint are trained from the beginning.

Exit codes: 0 all results agree; 1 one differs, or the job failed; 2 wrong command line, changed data, or nothing to
compare; 75 stopped before the end without a difference.

--help data and --help run show the keys that may be set.
)";
}

const LineOptions& options() {
  static const LineOptions all{
      {"data.file", "data.validation_file", "data.test_file", "run.partition", "run.device", "run.lanes", "run.threads",
       "run.ranks_per_gpu", "run.core_lanes", "run.time_limit", "run.network_timeout", "run.retries", "run.progress"},
      {"iterations", "seed"},
      {}};
  return all;
}

// Removes the options of the command itself from the arguments.
SampleSize take_size(Arguments& arguments) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  SampleSize size;
  auto& all = arguments.assignments;
  for (const auto& [name, text] : all) {
    if (name == "seed") size.seed = option_value(any_unsigned_integer(), name, text);
    if (name != "iterations") continue;
    const std::int64_t count = option_value(integer_or("all", 1, most), name, text);
    size.count = count > 0 ? std::optional(count) : std::nullopt;
  }
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Assignment& one) { return one.key.find('.') == std::string::npos; }),
            all.end());
  return size;
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  constexpr bool forced = true;  // another version agrees to rounding
  Study study;
  SampleSize size;
  agree(world, [&] {
    Arguments arguments = split_arguments("verify", options(), call.arguments);
    size = take_size(arguments);
    study = study_of_run("verify", arguments, forced);
  });
  return verify_run(study, size, world);
}

}  // namespace

Command verify_command() {
  return {"verify",
          "RUN_DIR [--iterations=N|all] [--seed=N] [--key=value ...]",
          "train iterations of a run again and compare the results",
          help,
          options,
          run,
          true};
}

}  // namespace sheaf
