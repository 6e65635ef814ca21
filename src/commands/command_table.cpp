// SPDX-License-Identifier: MIT
#include "commands/command_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/evaluate/evaluate_command.hpp"
#include "commands/import/import_command.hpp"
#include "commands/info/info_command.hpp"
#include "commands/preprocess/preprocess_command.hpp"
#include "commands/train/plan_command.hpp"
#include "commands/train/resume_command.hpp"
#include "commands/train/run_command.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

namespace sheaf {
namespace {

std::string usage_of(const Command& command) {
  return command.usage.empty() ? std::string(command.name) : fmt::format("{} {}", command.name, command.usage);
}

std::string main_help() {
  std::string text =
      "Sheaf trains many models in one MPI job.\n\n"
      "usage: sheaf COMMAND [...]        (directly, or under mpirun -n P or srun -n P)\n\ncommands\n";
  for (const Command& command : command_table())
    text += fmt::format("  {}\n      {}\n", usage_of(command), command.summary);
  return text + R"(
options
  --help      this text, or the options of a command: sheaf COMMAND --help
  --version   version, git revision and build id

Results go to stdout, the log to stderr.
Exit codes: 0 success; 1 the run failed; 2 the command line or the study file is wrong;
75 the run was stopped and can be resumed.
)";
}

std::string help_of(const Command& command) {
  return fmt::format("usage: sheaf {}\n\n{}", usage_of(command), command.help());
}

bool is_help(const std::string& argument) {
  return argument == "--help" || argument == "-h";
}

// Null if no command has that name.
const Command* command_named(const std::string& name) {
  for (const Command& command : command_table())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace

const std::vector<Command>& command_table() {
  static const std::vector<Command> commands = {run_command(),      resume_command(), plan_command(),
                                                evaluate_command(), import_command(), preprocess_command(),
                                                info_command()};
  return commands;
}

const Command& find_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw UsageError("the command is missing. Write: sheaf run STUDY.cfg, or sheaf --help.");
  if (const Command* command = command_named(arguments[0])) return *command;
  std::vector<std::string> names;
  for (const Command& command : command_table()) names.emplace_back(command.name);
  throw UsageError(fmt::format("unknown command {} (commands: {}).{} See sheaf --help.", quoted(arguments[0]),
                               fmt::join(names, ", "), did_you_mean(arguments[0], names)));
}

std::optional<std::string> text_answer(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return std::nullopt;
  if (is_help(arguments[0]) || arguments[0] == "help") return main_help();
  if (arguments[0] == "--version")
    return fmt::format("sheaf {} ({}, build {})\n", program_version(), git_revision(), build_id());
  const Command* command = command_named(arguments[0]);
  if (command != nullptr && std::any_of(arguments.begin() + 1, arguments.end(), is_help)) return help_of(*command);
  return std::nullopt;
}

}  // namespace sheaf
