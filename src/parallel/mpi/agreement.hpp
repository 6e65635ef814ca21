// Makes all ranks throw if one of them fails, so that no rank waits for another in a collective call.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "parallel/mpi/communicator.hpp"

namespace sheaf {

/// Runs `action` on each rank. If it throws on any rank, every rank throws AgreedError with the message and the exit
/// code of the lowest rank that failed. The exit code is usage for a UsageError, stopped for Interrupted, and failed
/// otherwise. `action` must not call collectives over `comm`. Collective over comm.
void agree(const Communicator& comm, const std::function<void()>& action);

/// Calls `refuse` with the text of the root on each rank whose `text` differs from it, as in agree(). Collective over
/// comm.
void require_same_as_root(const Communicator& comm, const std::string& text,
                          const std::function<void(const std::string& of_root)>& refuse);

/// Like agree, for long actions without MPI calls. Runs `action` in a separate thread. Meanwhile the ranks exchange
/// messages at least once per second, and sleep in between. The limit of `while_waiting` therefore applies to the time
/// that another rank has been unreachable, not to the duration of its action. Exceptions of `while_waiting` are passed
/// on after the action has returned. Collective over comm.
void agree_in_background(const Communicator& comm, const std::function<void()>& action,
                         const WhileWaiting& while_waiting);

}  // namespace sheaf
