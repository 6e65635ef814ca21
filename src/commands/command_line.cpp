// SPDX-License-Identifier: MIT
#include "commands/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/evaluate_words.hpp"
#include "commands/import_words.hpp"
#include "commands/preprocess_words.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "options/parse_study.hpp"
#include "options/stored_study.hpp"

namespace sheaf {
namespace {

constexpr const char* main_help = R"(sheaf trains many models in one MPI job.

usage: sheaf COMMAND [...]        alone, under mpirun -n P, or under srun -n P

commands
  run STUDY.cfg [--key=value ...]    train a study; its final losses are gathered on rank 0
  resume RUN_DIR [--key=value ...]   train what a run that stopped or died has left
  plan STUDY.cfg [--key=value ...]   show what would be run: iterations, cost, memory, placement
  evaluate MODEL --data.file=F.h5 [--key=value ...]   loss, score and predictions of a trained model
  import FILE... OUT.h5 [--key=value ...]   make a data file of CSV, NumPy, IDX or CIFAR-10 files
  preprocess IN.h5 OUT.h5 [--key=value ...] resize, scale and cast the features of a data file
  info                               ranks, hosts, devices, cores bound, libraries, rough speed

options
  --help      this text; after a command, its own
  --version   version, git revision and build id

Results go to stdout, the log to stderr.
Exit codes: 0 done; 1 the run failed; 2 the command line or the study file is wrong;
75 the run was asked to stop, and can be resumed.
)";

constexpr const char* resume_help = R"(usage: sheaf resume RUN_DIR [--force] [--key=value ...]

Trains what a run has left that was stopped or killed, and what failed in it, on any number of ranks, and
writes its results: the same as those of a run that nothing stopped. Keys that cannot change results may
be given anew: those of [run] but engine and curves, and data.file. What auto stood for in data.mode and
run.engine was settled and stored when the run was opened, and is kept.

  --force    go on although the data file, a model file or the version of the program has changed
)";

constexpr const char* study_help = R"(
A study file has sections and a key = value a line; '#' starts a comment. The command line overrides
it, each key by its full name: --train.epochs=5. Paths are relative to the working directory.

Under [search], any key of [model] and [train] may stand with its candidates: commas separate
candidates, spaces the layers of one, as in
    [search]
    method = grid
    folds = 5
    model.hidden = 16, 64 32
    train.learning_rate = 1e-3, 1e-2
On the command line: --search.model.hidden="16, 64 32"

)";

bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

std::string command_help(const std::string& command) {
  if (command == "evaluate") return evaluate_help();
  if (command == "import") return import_help();
  if (command == "resume") return resume_help;
  if (command == "preprocess") return preprocess_help();
  if (command == "info")
    return "usage: sheaf info\n\nPrints the ranks of the job with their hosts, devices, lanes and cores, the libraries "
           "in "
           "use, and the\nrough speed of a matrix product on one core of each rank.\n";
  const std::string what =
      command == "run"
          ? "Trains every iteration of the study and writes a run directory (run.output):\n"
            "study.cfg (all keys as used), journal/, results.h5, results.csv, with run.models also models/. With\n"
            "--resume it goes on where that directory holds an unfinished run of the study.\n"
          : "Loads and checks the study and its data, and shows what `sheaf run` would do. Trains and writes nothing.\n"
            "Loads the TorchScript files and plugins that the study names, too, which are code: plan only studies "
            "that\n"
            "you would run.\n";
  return fmt::format("usage: sheaf {} STUDY.cfg [--key=value ...]\n\n{}{}{}", command, what, study_help,
                     settings_help());
}

}  // namespace

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names = {"run", "resume", "plan", "evaluate", "import", "preprocess", "info"};
  return names;
}

std::optional<std::string> text_answer(const std::vector<std::string>& words) {
  if (words.empty()) return std::nullopt;
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") return main_help;
  if (words[0] == "--version")
    return fmt::format("sheaf {} ({}, build {})\n", program_version(), git_revision(), build_id());
  const bool known = std::find(command_names().begin(), command_names().end(), words[0]) != command_names().end();
  if (known && asks_for_help(words)) return command_help(words[0]);
  return std::nullopt;
}

Study study_from_words(const std::string& command, const std::vector<std::string>& words) {
  if (words.empty() || words[0].empty() || words[0][0] == '-')
    throw UsageError(fmt::format(
        "'sheaf {}' got no study file{}. Write: sheaf {} STUDY.cfg [--key=value ...].", command,
        words.empty() ? "" : fmt::format(" (it stands before the options; '{}' came first)", words[0]), command));
  return parse_study(words[0], {words.begin() + 1, words.end()});
}

Study study_of_run(const std::vector<std::string>& words, bool forced) {
  if (words.empty() || words[0].empty() || words[0][0] == '-')
    throw UsageError("'sheaf resume' got no run directory. Write: sheaf resume RUN_DIR [--key=value ...].");
  if (!std::filesystem::exists(words[0] + "/study.cfg"))
    throw UsageError(fmt::format("'{}' holds no run (study.cfg is not there). Give the directory of a run.", words[0]));
  const std::string path = words[0] + "/study.cfg";
  const std::string text = read_study_text(path);
  require_this_version(text, words[0], forced);
  Study study = parse_study_text(text, path, {words.begin() + 1, words.end()});
  study.run.output = words[0];
  return study;
}

bool take_flag(std::vector<std::string>& words, const std::string& flag) {
  const auto kept = std::remove(words.begin(), words.end(), flag);
  const bool found = kept != words.end();
  words.erase(kept, words.end());
  return found;
}

}  // namespace sheaf
