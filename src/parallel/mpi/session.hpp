// MPI from its start to its end.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// Starts MPI (MPI_THREAD_FUNNELED: only the thread that made the session calls MPI), turns MPI's errors into RunError
/// and sets the rank of the log. The first object of main. Its destructor finalizes only if no exception is in flight:
/// MPI_Finalize during unwinding would wait for ranks that never come.
class MpiSession {
 public:
  /// Throws RunError when MPI cannot be started.
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Throws AgreedError when MPI cannot be used beside threads. To be reported before MPI ends: a launcher that sees an
  /// exit code other than 0 may end the other ranks before they have said anything.
  void require_threads() const;

  /// "Open MPI v4.1.4 ...", up to the first comma.
  static std::string library_version();
  /// This host's name as MPI knows it.
  static std::string host_name();
  /// Ends all ranks of the job now with exit code `code`, or this process alone where MPI does not run. Flushes stdout
  /// and stderr first.
  [[noreturn]] static void abort(int code);

 private:
  int provided_ = 0;  // the level of thread support
};

}  // namespace sheaf
