// Quotes user input in messages.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Returns `text` in single quotes. Control characters become '?'; text after 60 bytes is replaced by "...".
std::string quoted(const std::string& text);

}  // namespace sheaf
