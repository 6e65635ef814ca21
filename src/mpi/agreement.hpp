// Errors and collectives: fail together or go on together.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "mpi/communicator.hpp"

namespace sheaf {

/// Runs `action` on this rank, then tells all ranks how it went: if it threw anywhere, every rank throws AgreedError
/// with the message and the exit code (usage for a UsageError, stopped for Interrupted, else failed) of the lowest rank
/// that failed. `action` holds no collective over `comm`; a ConnectionLost passes through. With `while_waiting`, ranks
/// wait for the others as wait_patiently does. Collective over comm.
void agree(const Communicator& comm, const std::function<void()>& action, const WhileWaiting& while_waiting = {});

}  // namespace sheaf
