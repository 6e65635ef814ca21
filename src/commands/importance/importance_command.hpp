// `sheaf importance`: the permutation importance of features.
// SPDX-License-Identifier: MIT
#pragma once

#include "commands/line/command.hpp"

namespace sheaf {

Command importance_command();

}  // namespace sheaf
