// SPDX-License-Identifier: MIT
#include "commands/train/study_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "commands/line/data_file_names.hpp"
#include "commands/train/prepare/stored_run.hpp"
#include "core/error.hpp"
#include "core/escaped.hpp"
#include "core/problem_list.hpp"
#include "core/text.hpp"
#include "data/import/import_files.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/run_reader.hpp"
#include "study/parse_study.hpp"
#include "study/paths.hpp"
#include "study/quoted_value.hpp"
#include "study/settings.hpp"
#include "study/stored_study.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* format_help =
    R"(Instead of a study file, you can pass an HDF5 data file, whatever its name. This is the same as a study that sets
only data.file and study.name.

A study file has sections with one key = value per line; '#' starts a comment. The command line overrides the file;
write each key with its section: --train.epochs=5 or --train.epochs 5. Paths of data and model files in a study file
are relative to its folder; run.output and paths on the command line are relative to the current directory. ~, $NAME
and ${NAME} are replaced in all paths; $$ is a dollar sign. Paths and other texts can be written in double quotes,
where '#', commas and outer spaces are ordinary characters; \" is a quote, \\ a backslash, \t a tab, \n a line end and
\xHH any byte. Names of values and true/false, yes/no, on/off are not case-sensitive; 1 and 0 also mean true and false.

Under [search], data.normalize and every key of [model] and [train] can have a list of candidates. Commas separate the
candidates; spaces separate the layers of one candidate:
    [search]
    method = grid
    folds = 5
    model.hidden = 16, 64 32
    train.learning_rate = 1e-3, 1e-2
On the command line: --search.model.hidden="16, 64 32"
With search.trials = N, trials are drawn (at random, or by search.method), and a key can have a range: uniform(0, 0.5),
log_uniform(1e-4, 1e-1), integer(1, 8) or log_integer(16, 256).
A key has either a value or candidates; candidates on the command line replace a value in the file.

--help SECTION shows the keys of one section, e.g. --help train.

)";

[[noreturn]] void refuse(const std::vector<std::string>& problems) {
  throw UsageError(problem_list(problems));
}

// The assignments of a study of one data file. Its name is that of the file, if no other is given. A path that exists
// is taken as it is; in others, ~ and variables are replaced.
std::vector<Assignment> settings_of_data_file(const std::string& path, const std::vector<Assignment>& given) {
  std::vector<Assignment> all = given;
  const auto is_given = [&](const std::string& key) {
    return std::any_of(given.begin(), given.end(), [&](const Assignment& one) { return one.key == key; });
  };
  if (is_given("data.file"))
    throw UsageError(fmt::format("the data file is given twice ('{}' and --data.file). Leave one of them out.", path));
  std::error_code ignored;
  all.push_back({"data.file", quoted_value(fs::exists(path, ignored) ? written_path(path) : path)});
  const std::string name = quoted_value(fs::path(path).stem().string());
  if (!is_given("study.name") && directory_name().read(name)) all.push_back({"study.name", name});
  return all;
}

// The commands that convert a file of another format and train on it.
std::string conversion_advice(const std::string& path, ImportFormat format, const std::string& command) {
  fs::path output = path;
  if (output.extension() == ".gz") output.replace_extension();
  const std::string converted = shell_word(output.replace_extension(".h5").string());
  const std::string targets = format == ImportFormat::npy   ? " TARGETS.npy"
                              : format == ImportFormat::idx ? " LABELS"
                                                            : "";
  return fmt::format("'{}' is not an HDF5 file. Convert it, then train: sheaf import {}{} {} && sheaf {} {}", path,
                     shell_word(path), targets, converted, command, converted);
}

// Reports the problems of the command line together with those of the study.
template <class Parse>
Study checked_study(const Arguments& arguments, Parse parse) {
  std::vector<std::string> problems = arguments.problems;
  Study study;
  try {
    study = parse();
  } catch (const UsageError& error) {
    problems.emplace_back(error.what());
  }
  if (!problems.empty()) refuse(problems);
  return study;
}

// Throws UsageError if the assignments to [run] make another study of the run. Comes before the checks between keys:
// they would advise other values of keys that the run cannot change either.
void require_same_run_keys(const std::vector<Assignment>& assignments, const Study& stored,
                           const std::string& directory) {
  Study changed = stored;
  for (const auto& [key, value] : assignments) {
    if (key.rfind("run.", 0) != 0 || lower_case(value) == "auto") continue;
    try {
      apply_setting(changed, key, value);
    } catch (const UsageError&) {
      return;  // reported with the other problems of the command line
    }
  }
  require_same_keys(directory, changed, stored);
}

}  // namespace

Study study_from_arguments(const std::string& command, const Arguments& arguments) {
  const std::string path =
      only_name(arguments, command, "study file",
                fmt::format("Write: sheaf {} STUDY.cfg [--key=value ...], or sheaf {} DATA.h5.", command, command));
  return checked_study(arguments, [&] {
    if (is_data_file(path)) return parse_study_text("", path, settings_of_data_file(path, arguments.assignments));
    if (const auto format = format_of(path)) throw UsageError(conversion_advice(path, *format, command));
    if (fs::exists(study_path(path)))
      throw UsageError(fmt::format("'{}' is a run directory. Continue it with: {}. Or pass a study file.", path,
                                   resume_command_of(path)));
    return parse_study(path, arguments.assignments);
  });
}

Study study_of_run(const std::string& command, const Arguments& arguments, bool forced) {
  const std::string directory = only_name(arguments, command, "run directory",
                                          fmt::format("Write: sheaf {} RUN_DIR [--key=value ...].", command));
  require_run(directory);
  for (const auto& [key, text] : arguments.assignments)
    if (key == "run.output")
      throw UsageError(
          fmt::format("{} cannot change run.output (the run stays in '{}'). Leave it out.", command, directory));
  const std::string text = RunReader(directory).study_text(forced);
  const std::string path = latest_study_path(directory);
  if (arguments.problems.empty())
    require_same_run_keys(arguments.assignments, parse_stored_study(text, path), directory);
  Study study = checked_study(arguments, [&] { return parse_extension(text, path, arguments.assignments); });
  study.run.output = directory;
  return study;
}

std::string study_help() {
  return format_help + settings_help(all_keys());
}

}  // namespace sheaf
