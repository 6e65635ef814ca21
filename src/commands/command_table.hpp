// The commands of the program. Local, pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/line/command.hpp"

namespace sheaf {

/// All commands, in the order of the help.
const std::vector<Command>& command_table();

/// The command named by the first argument. `arguments`: argv without the program's name. Throws UsageError for an
/// unknown command.
const Command& find_command(const std::vector<std::string>& arguments);

/// The text printed for --help, help or --version; nothing for other arguments. "sheaf help COMMAND TOPIC", "sheaf
/// COMMAND
/// --help TOPIC" and "sheaf --help COMMAND TOPIC" are the same. Throws UsageError for an unknown command or topic.
std::optional<std::string> text_answer(const std::vector<std::string>& arguments);

}  // namespace sheaf
