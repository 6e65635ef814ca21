// SPDX-License-Identifier: MIT
#include "engines/libtorch/work_thread.hpp"

#include <cassert>
#include <utility>

namespace sheaf {

WorkThread::WorkThread(std::string purpose) : thread_(std::move(purpose)) {
  thread_.start(1, [this](std::int64_t) { run(); });
}

WorkThread::~WorkThread() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkThread::start(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    assert(!work_ && !failure_);
    work_ = std::move(work);
  }
  changed_.notify_all();
}

void WorkThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !work_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return work_ || is_stopping_; });
    if (!work_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work_();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    work_ = nullptr;
    failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace sheaf
