// What this program is.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// "0.3.0".
std::string program_version();

/// The git commit it was built from, with "+changes" when the tree had some; "unknown" outside a checkout.
std::string git_revision();

/// A hash of the sources, the compiler and its flags, as 16 hexadecimal digits: the same for the program and the
/// libraries that it may load, and wherever the same sources are built in the same way.
std::string build_id();

}  // namespace sheaf
