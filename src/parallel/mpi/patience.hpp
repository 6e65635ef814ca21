// Waiting for other ranks without taking a core from those who compute.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace sheaf {

/// Called repeatedly while a rank waits, with the seconds waited so far, suspensions of the process left out; returns
/// the seconds after which it must be called again. May throw, which ends the wait: MPI still works on the request
/// then, so the job must be aborted.
using WhileWaiting = std::function<double(double waited_seconds)>;

/// Returns once `is_done()`, which is called repeatedly. Sleeps between the calls: a hundredth of the time waited so
/// far, at least 0.1 ms, at most 20 ms and at most the result of `while_waiting`. Local.
void wait_patiently(const std::function<bool()>& is_done, const WhileWaiting& while_waiting);

/// For short waits, which only a network failure prolongs: throws ConnectionLost with `message` after
/// `timeout_seconds`, which may be infinite.
WhileWaiting at_most(double timeout_seconds, const std::string& message);

/// For waits that last as long as the work of another rank.
WhileWaiting without_limit();

}  // namespace sheaf
