// SPDX-License-Identifier: MIT
#pragma once

#include "commands/command.hpp"

namespace sheaf {

/// sheaf run
Command run_command();

}  // namespace sheaf
