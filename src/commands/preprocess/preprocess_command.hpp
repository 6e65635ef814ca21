// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

/// sheaf preprocess
Command preprocess_command();

}  // namespace sheaf
