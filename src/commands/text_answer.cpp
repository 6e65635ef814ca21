// SPDX-License-Identifier: MIT
#include "commands/text_answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "commands/command_table.hpp"
#include "commands/completion.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "study/parse_study.hpp"

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
  --help, -h  this text; the options of a command: sheaf COMMAND --help; the keys of a section
              of run, resume, plan, evaluate or predict: for example sheaf run --help train
  --version   version, git revision and build id
  --key=value and --key value are the same. Arguments after -- are not options.

Results go to stdout, the log to stderr.
Exit codes: 0 success; 1 the run failed; 2 the command line or the study file is wrong;
75 the run was stopped and can be resumed.
)";
}

// The keys of a section, or one key. Throws UsageError if the command has neither.
std::string topic_help(const Command& command, const std::string& topic) {
  std::vector<std::string> keys;
  for (const auto& key : command.options().keys)
    if (key == topic || key.substr(0, key.find('.')) == topic) keys.push_back(key);
  if (!keys.empty()) return settings_help(keys);
  const std::vector<std::string> topics = help_topics(command);
  throw UsageError(topics.empty() ? fmt::format("'sheaf {}' has no help topics (it got {}). See sheaf {} --help.",
                                                command.name, quoted(topic), command.name)
                                  : fmt::format("'sheaf {}' has no help topic {} (topics: {}).{} See sheaf {} --help.",
                                                command.name, quoted(topic), fmt::join(topics, ", "),
                                                did_you_mean(topic, topics), command.name));
}

std::string help_of(const Command& command, const std::optional<std::string>& topic) {
  return topic ? topic_help(command, *topic) : fmt::format("usage: sheaf {}\n\n{}", usage_of(command), command.help());
}

}  // namespace

std::optional<std::string> text_answer(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return std::nullopt;
  if (arguments[0] == "--version")
    return fmt::format("sheaf {} ({}, build {})\n", program_version(), git_revision(), build_id());
  if (arguments[0] == "complete") {
    const auto candidates = completions({arguments.begin() + 1, arguments.end()});
    return candidates.empty() ? "" : fmt::format("{}\n", fmt::join(candidates, "\n"));
  }
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  auto asking = arguments.begin();
  if (arguments[0] != "help") asking = std::find_if(asking, end, read_help_argument);
  if (asking == end) return std::nullopt;
  std::vector<std::string> names;  // of a command and of a topic; further arguments have no meaning for the help
  if (asking != arguments.begin()) names.push_back(arguments[0]);
  if (const auto help = read_help_argument(*asking); help && help->topic) names.push_back(*help->topic);
  for (auto next = asking + 1; next != end && !is_option(*next); ++next) names.push_back(*next);
  if (names.empty()) return main_help();
  return help_of(find_command(names), names.size() > 1 ? std::optional(names[1]) : std::nullopt);
}

}  // namespace sheaf
