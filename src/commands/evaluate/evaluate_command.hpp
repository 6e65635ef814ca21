// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf evaluate
Command evaluate_command();

}  // namespace sheaf
