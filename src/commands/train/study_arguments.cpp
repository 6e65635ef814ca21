// SPDX-License-Identifier: MIT
#include "commands/train/study_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/parse_study.hpp"

namespace sheaf {
namespace {

constexpr const char* format_help =
    R"(A study file has sections with one key = value per line; '#' starts a comment. The command line overrides
the file; write each key with its section: --train.epochs=5. Paths are relative to the working directory.

Under [search], every key of [model] and [train] can have a list of candidates. Commas separate the
candidates; spaces separate the layers of one candidate:
    [search]
    method = grid
    folds = 5
    model.hidden = 16, 64 32
    train.learning_rate = 1e-3, 1e-2
On the command line: --search.model.hidden="16, 64 32"

)";

}  // namespace

Study study_from_arguments(const std::string& command, const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].empty() || arguments[0][0] == '-')
    throw UsageError(fmt::format(
        "'sheaf {}' needs a study file{}. Write: sheaf {} STUDY.cfg [--key=value ...].", command,
        arguments.empty() ? "" : fmt::format(" before the options (the first argument is '{}')", arguments[0]),
        command));
  return parse_study(arguments[0], {arguments.begin() + 1, arguments.end()});
}

Study study_of_run(const std::vector<std::string>& arguments, bool forced) {
  if (arguments.empty() || arguments[0].empty() || arguments[0][0] == '-')
    throw UsageError("'sheaf resume' needs a run directory. Write: sheaf resume RUN_DIR [--key=value ...].");
  if (!std::filesystem::exists(study_path(arguments[0])))
    throw UsageError(
        fmt::format("'{}' is not a run directory (it has no study.cfg). Pass a run directory.", arguments[0]));
  if (std::any_of(arguments.begin(), arguments.end(),
                  [](const std::string& argument) { return argument.rfind("--run.output=", 0) == 0; }))
    throw UsageError(
        fmt::format("resume cannot change run.output (the run stays in '{}'). Leave it out.", arguments[0]));
  const std::string text = RunReader(arguments[0]).study_text(forced);
  Study study = parse_study_text(text, study_path(arguments[0]), {arguments.begin() + 1, arguments.end()});
  study.run.output = arguments[0];
  return study;
}

bool take_flag(std::vector<std::string>& arguments, const std::string& flag) {
  for (const auto& argument : arguments)
    if (argument.compare(0, flag.size() + 1, flag + "=") == 0)
      throw UsageError(fmt::format("{} takes no value (it got {}). Write {} alone.", flag, quoted(argument), flag));
  const auto end = std::remove(arguments.begin(), arguments.end(), flag);
  const auto count = arguments.end() - end;
  if (count > 1) throw UsageError(fmt::format("{} is given twice. Remove one.", flag));
  arguments.erase(end, arguments.end());
  return count == 1;
}

std::string study_help() {
  return format_help + settings_help();
}

}  // namespace sheaf
