// The test of an installation: trains and predicts as a user would.
// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Imports a small table, trains on it and predicts with each engine that is installed, by the commands of the program,
/// in a temporary directory that it removes. The directory is in the current one if the ranks are on several nodes.
/// Prints one line per check on rank 0. Returns whether all checks passed, the same on every rank. Throws AgreedError
/// if the directory cannot be created. Collective over world.
bool test_installation(const Communicator& world);

}  // namespace sheaf
