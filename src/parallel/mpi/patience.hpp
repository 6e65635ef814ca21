// Waits for other ranks without occupying a core.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace sheaf {

/// Called repeatedly while a rank waits, with the seconds waited so far, without suspensions of the process. Returns
/// the seconds after which it must be called again. May throw, which ends the wait. MPI may still use the request then,
/// so the job must be aborted.
using WhileWaiting = std::function<double(double waited_seconds)>;

/// Calls `is_done` repeatedly and returns when it is true. Sleeps between the calls for a hundredth of the time waited
/// so far, but at least 0.1 ms, at most 20 ms and at most the result of `while_waiting`. Local.
void wait_patiently(const std::function<bool()>& is_done, const WhileWaiting& while_waiting);

/// Returns a callback that throws ConnectionLost with `message` after `timeout_seconds`, which may be infinite. For
/// waits that are short unless the network fails.
WhileWaiting at_most(double timeout_seconds, const std::string& message);

/// Returns a callback without a limit, for waits that last as long as the work of another rank.
WhileWaiting without_limit();

}  // namespace sheaf
