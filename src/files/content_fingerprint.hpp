// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// The fingerprint of first_content(). Throws RunError like RegularFile. Local, thread-safe.
std::string content_fingerprint(const std::string& path);

}  // namespace sheaf
