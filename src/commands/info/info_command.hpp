// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf info, sheaf info --test
Command info_command();

}  // namespace sheaf
