// A thread for work beside that of its owner.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

#include "core/thread_group.hpp"

namespace sheaf {

/// A thread that does one piece of work at a time while its owner does something else. start() and wait() belong to one
/// thread, the owner's.
class WorkThread {
 public:
  /// `purpose`: see ThreadGroup. Throws RunError if the thread cannot be started.
  explicit WorkThread(std::string purpose);

  /// Waits until the work has ended; its error is lost.
  ~WorkThread();

  /// Begins to call `work`. The last work must have been awaited.
  void start(std::function<void()> work);

  /// Waits until the work has ended, if there is some, and throws its error.
  void wait();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;  // empty: none
  std::exception_ptr failure_;
  bool is_stopping_ = false;
  ThreadGroup thread_;
};

}  // namespace sheaf
