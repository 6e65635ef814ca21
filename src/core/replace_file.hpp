// New files that are there whole or not at all.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace sheaf {

/// Runs `write` on a temporary name beside `path`, then gives it its name; a file of that name is replaced. A failure
/// leaves neither behind. Throws what `write` throws, and RunError when the name cannot be given. Local.
void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write);

}  // namespace sheaf
