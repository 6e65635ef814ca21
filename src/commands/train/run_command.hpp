// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf run
Command run_command();

}  // namespace sheaf
