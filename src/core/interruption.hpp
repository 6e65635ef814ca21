// Signals that ask a job to end: noted by a handler, asked about wherever work takes long.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// While it lives, SIGTERM, SIGINT, SIGUSR1 and SIGUSR2 are noted instead of ending the process; a second SIGINT ends
/// it. One at a time. Local.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
};

/// The first signal that the StopSignals have noted; 0 for none.
int noted_signal();

/// "SIGTERM"; "signal 50" for one that is not noted. Pure.
std::string signal_name(int number);

/// Throws Interrupted when a signal was noted: for work that is lost when the job ends here, as it is before training.
void leave_if_interrupted();

}  // namespace sheaf
