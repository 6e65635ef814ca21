// Writes any bytes as printable UTF-8 text from which they can be restored.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace sheaf {

/// Returns `text` with escapes for control characters and bytes that are not valid UTF-8 ("\xe9") and for backslashes
/// ("\\"). Different texts stay different.
std::string escaped(std::string_view text);

/// Returns `text` as one word of a shell command: unchanged if it has no special characters, otherwise in quotes.
/// Control characters and bytes that are not valid UTF-8 become escapes ($'a\x09b'), which bash, zsh and ksh read.
std::string shell_word(const std::string& text);

}  // namespace sheaf
