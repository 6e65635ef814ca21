// Starting and joining threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace sheaf {

/// Threads that do one kind of work. The destructor joins them, so the owner must make them return first.
class ThreadGroup {
 public:
  /// `purpose` completes "Cannot start thread 1 of 2 for ..." in messages.
  explicit ThreadGroup(std::string purpose) : purpose_(std::move(purpose)) {}
  ~ThreadGroup() { join(); }
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  /// Starts `count` more threads. Thread i of them (from 0) calls `work(i)`, which must not throw. Throws RunError if a
  /// thread cannot be started; the threads before it keep running and belong to the group.
  void start(std::int64_t count, const std::function<void(std::int64_t)>& work);

  /// Waits for all threads to return.
  void join();

  std::size_t size() const { return threads_.size(); }

 private:
  const std::string purpose_;
  std::vector<std::thread> threads_;
};

}  // namespace sheaf
