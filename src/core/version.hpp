// What this program is.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// "0.1.0".
std::string program_version();

/// The git commit it was built from, with "+changes" when the tree had some; "unknown" outside a checkout.
std::string git_revision();

}  // namespace sheaf
