// SPDX-License-Identifier: MIT
#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "core/error.hpp"
#include "core/thread_group.hpp"

namespace sheaf {
namespace {

class Loop {
 public:
  Loop(IndexRange indices, const std::function<IndexWork()>& make_work)
      : end_(indices.end), make_work_(make_work), next_(indices.begin), failed_index_(indices.end) {}

  void work() {
    std::int64_t index = end_;
    try {
      const IndexWork work = make_work_();
      // Every index that was taken is processed, so the exception of the lowest failing index is always found.
      while (!failed_ && (index = next_.fetch_add(1)) < end_) work(index);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_ || index < failed_index_) {
        failure_ = std::current_exception();
        failed_index_ = index;
      }
      failed_ = true;
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::int64_t end_;
  const std::function<IndexWork()>& make_work_;
  std::atomic<std::int64_t> next_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::int64_t failed_index_;
};

}  // namespace

void for_each_index(IndexRange indices, std::int64_t threads, const std::function<IndexWork()>& make_work) {
  Loop loop(indices, make_work);
  ThreadGroup others("a loop");
  try {
    others.start(std::min(threads, indices.count()) - 1, [&loop](std::int64_t) { loop.work(); });
  } catch (const RunError&) {
    // The system allows no more threads; continue with those that started.
  }
  loop.work();
  others.join();
  loop.rethrow();
}

}  // namespace sheaf
