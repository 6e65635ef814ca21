// SPDX-License-Identifier: MIT
#pragma once

#include "commands/command.hpp"

namespace sheaf {

/// sheaf resume
Command resume_command();

}  // namespace sheaf
