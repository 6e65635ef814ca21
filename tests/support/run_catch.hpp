// SPDX-License-Identifier: MIT
#pragma once

namespace sheaf {

/// Runs the tests of this program. With `as_declared`, runs them in the order of their declaration, which is the same
/// on all ranks. Returns 0 if all tests pass.
int run_catch(int argc, char** argv, bool as_declared);

}  // namespace sheaf
