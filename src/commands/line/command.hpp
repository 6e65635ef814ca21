// The interface of a command of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/line/arguments.hpp"
#include "core/error.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct CommandCall {
  std::vector<std::string> arguments;  ///< after the name of the command
  std::string command_line;            ///< the whole command line, for the provenance
};

/// One row of the command table.
struct Command {
  std::string_view name;
  std::string_view usage;           ///< the arguments, e.g. "RUN_DIR [--key=value ...]"; may be empty
  std::string_view summary;         ///< one line
  std::string (*help)();            ///< the text that `sheaf NAME --help` prints after the usage
  const LineOptions& (*options)();  ///< options; the sections of its keys are the topics of `sheaf NAME --help TOPIC`
  /// Throws AgreedError, the same on every rank. Collective over world.
  ExitCode (*run)(const CommandCall& call, const Communicator& world);
  bool can_be_stopped = false;  ///< whether it saves its state and ends on the signals of StopSignals
};

}  // namespace sheaf
