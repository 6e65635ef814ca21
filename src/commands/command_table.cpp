// SPDX-License-Identifier: MIT
#include "commands/command_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/evaluate/evaluate_command.hpp"
#include "commands/evaluate/predict_command.hpp"
#include "commands/import/import_command.hpp"
#include "commands/importance/importance_command.hpp"
#include "commands/info/info_command.hpp"
#include "commands/preprocess/preprocess_command.hpp"
#include "commands/report/report_command.hpp"
#include "commands/status/status_command.hpp"
#include "commands/train/plan_command.hpp"
#include "commands/train/resume_command.hpp"
#include "commands/train/run_command.hpp"
#include "commands/train/verify_command.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

// Null if no command has that name.
const Command* command_named(const std::string& name) {
  for (const Command& command : command_table())
    if (command.name == name) return &command;
  return nullptr;
}

}  // namespace

const std::vector<Command>& command_table() {
  static const std::vector<Command> commands = {run_command(),      resume_command(),     status_command(),
                                                report_command(),   plan_command(),       verify_command(),
                                                evaluate_command(), predict_command(),    importance_command(),
                                                import_command(),   preprocess_command(), info_command()};
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

std::vector<std::string> help_topics(const Command& command) {
  std::vector<std::string> topics;
  for (const auto& key : command.options().keys) {
    const std::string section = key.substr(0, key.find('.'));
    if (std::find(topics.begin(), topics.end(), section) == topics.end()) topics.push_back(section);
  }
  return topics;
}

}  // namespace sheaf
