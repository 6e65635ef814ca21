// Errors and collectives: fail together or go on together.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Runs `action` on this rank, then tells all ranks how it went: if it threw anywhere, every rank throws AgreedError
/// with the message and the exit code (usage for a UsageError, stopped for Interrupted, else failed) of the lowest rank
/// that failed. `action` holds no collective over `comm`. Collective over comm.
void agree(const Communicator& comm, const std::function<void()>& action);

/// As agree, for long actions that make no MPI call: runs `action` in a thread of its own, while the ranks exchange
/// messages at least every second, and asleep in between. So the limit of `while_waiting` counts how long another rank
/// has been out of reach, not how long its action takes. Exceptions of `while_waiting` pass through when the action has
/// returned. Collective over comm.
void agree_in_background(const Communicator& comm, const std::function<void()>& action,
                         const WhileWaiting& while_waiting);

}  // namespace sheaf
