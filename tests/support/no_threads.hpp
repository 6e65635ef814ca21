// Makes every attempt to start a thread fail.
// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <cstddef>

namespace sheaf::test {

/// While an object of this class exists, no thread can be started: the default stack size is far larger than the
/// available memory.
class NoThreads {
 public:
  NoThreads() {
    pthread_attr_init(&before_);
    pthread_getattr_default_np(&before_);
    pthread_attr_t large = before_;
    pthread_attr_setstacksize(&large, std::size_t{1} << 60);
    pthread_setattr_default_np(&large);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_;
};

}  // namespace sheaf::test
