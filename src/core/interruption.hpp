// Signals that stop a job. A handler records them; long work checks for them.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// During its lifetime, SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 are recorded instead of ending the process. A second
/// SIGINT ends it. At most one StopSignals may exist at a time. Local.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

/// Returns the first signal that was recorded, or 0.
int noted_signal();

/// Returns the name of a recorded signal, such as "SIGTERM", or "signal 50" for any other. Pure.
std::string signal_name(int number);

/// Throws Interrupted if a signal was recorded. For work before the training, which a stopped job does not save.
void leave_if_interrupted();

}  // namespace sheaf
