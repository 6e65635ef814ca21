// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// Runs the tests of this program. `as_declared`: in the order of their declaration, the same on all ranks. Returns 0
/// when all passed.
int run_catch(int argc, char** argv, bool as_declared);

}  // namespace sheaf
