// SPDX-License-Identifier: MIT
#pragma once

#include "commands/command.hpp"

namespace sheaf {

/// sheaf plan
Command plan_command();

}  // namespace sheaf
