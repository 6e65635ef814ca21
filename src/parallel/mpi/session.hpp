// Initialization and finalization of MPI.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Initializes MPI with MPI_THREAD_FUNNELED: only the thread that created the session calls MPI. Converts MPI errors to
/// RunError and sets the rank of the log. Must be the first object of main. The destructor finalizes MPI unless an
/// exception is in flight, because MPI_Finalize would then wait for ranks that never call it.
class MpiSession {
 public:
  /// Throws RunError if MPI cannot be started.
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Throws AgreedError if the MPI library does not support threads. Report the error before MPI is finalized: after
  /// the first exit code other than 0, a launcher may end the other ranks before they have logged anything.
  void require_threads() const;

  /// Returns the version string of the library up to the first comma, for example "Open MPI v4.1.4".
  static std::string library_version();
  /// Returns the name of this host according to MPI.
  static std::string host_name();
  /// Ends all ranks of the job now with exit code `code`, or only this process if MPI is not running. Flushes stdout
  /// and stderr first.
  [[noreturn]] static void abort(int code);

 private:
  int provided_ = 0;  // level of thread support
};

}  // namespace sheaf
