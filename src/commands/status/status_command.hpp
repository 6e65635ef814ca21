// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf status
Command status_command();

}  // namespace sheaf
