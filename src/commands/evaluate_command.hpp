// SPDX-License-Identifier: MIT
#pragma once

#include "commands/command.hpp"

namespace sheaf {

/// sheaf evaluate
Command evaluate_command();

}  // namespace sheaf
