// What a user wrote, as messages show it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// `text` between single quotes; control characters become '?', and what is longer than 60 bytes is cut.
std::string quoted(const std::string& text);

}  // namespace sheaf
