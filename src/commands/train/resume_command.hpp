// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf resume
Command resume_command();

}  // namespace sheaf
