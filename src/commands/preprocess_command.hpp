// SPDX-License-Identifier: MIT
#pragma once

#include "commands/command.hpp"

namespace sheaf {

/// sheaf preprocess
Command preprocess_command();

}  // namespace sheaf
