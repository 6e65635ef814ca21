// Signals that stop a job or end the process. All signal handlers for them are here.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// During its lifetime, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 and SIGXCPU are recorded instead of ending the
/// process. SIGHUP remains ignored if it was (nohup). A second SIGINT ends the process. At most one StopSignals may
/// exist at a time. Local.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Installs the handlers again, after the initialization of libraries that may have replaced them.
  static void renew();
};

/// Writes beyond the limit on the size of files (ulimit -f) fail with an error instead of ending the process. Local.
void ignore_file_size_signal();

/// Returns the first signal that was recorded, or 0.
int noted_signal();

/// Returns the name of a recorded signal, such as "SIGTERM", or "signal 50" for any other. Pure.
std::string signal_name(int number);

/// Throws Interrupted if a signal was recorded. For work before the training, which a stopped job does not save.
void leave_if_interrupted();

/// From now on, `clean_up` is called before a signal ends the process: one of the signals above if it is not recorded,
/// a second SIGINT, SIGQUIT, SIGPIPE, SIGALRM or SIGVTALRM. Ignored signals remain ignored. If a library handles
/// SIGTERM, SIGINT or SIGHUP, its handler is called afterwards; other signals that a library handles do not end the
/// process. `clean_up` may call only functions that are safe in signal handlers. A later call replaces it. Local,
/// thread-safe.
void call_before_fatal_signals(void (*clean_up)());

}  // namespace sheaf
