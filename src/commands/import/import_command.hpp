// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf import
Command import_command();

}  // namespace sheaf
