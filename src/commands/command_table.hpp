// The commands of the program. Local, pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "commands/line/command.hpp"

namespace sheaf {

/// All commands, in the order of the help.
const std::vector<Command>& command_table();

/// The command named by the first argument. `arguments`: argv without the program's name. Throws UsageError for an
/// unknown command.
const Command& find_command(const std::vector<std::string>& arguments);

/// The topics of the command's help: the sections of its keys, in order.
std::vector<std::string> help_topics(const Command& command);

}  // namespace sheaf
