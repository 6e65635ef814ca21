// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf verify
Command verify_command();

}  // namespace sheaf
