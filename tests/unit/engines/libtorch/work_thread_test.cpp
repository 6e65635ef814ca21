// SPDX-License-Identifier: MIT
#include "engines/libtorch/work_thread.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/no_threads.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("a thread does one piece of work after the other, beside its owner") {
  WorkThread thread("a test");
  thread.wait();  // there is no work
  int sum = 0;
  std::thread::id where;
  for (int number = 1; number <= 100; ++number) {
    std::atomic<bool> go_on{false};
    thread.start([&, number] {
      while (!go_on) {
      }
      sum += number;
      where = std::this_thread::get_id();
    });
    go_on = true;
    thread.wait();
  }
  CHECK(sum == 5050);
  CHECK(where != std::this_thread::get_id());
}

TEST_CASE("the error of the work is thrown once, by wait()") {
  WorkThread thread("a test");
  thread.start([] { throw std::runtime_error("no"); });
  CHECK_THROWS_WITH(thread.wait(), "no");
  thread.wait();
  bool done = false;
  thread.start([&] { done = true; });
  thread.wait();
  CHECK(done);
}

TEST_CASE("a thread ends its work before it is destroyed") {
  bool done = false;
  {
    WorkThread thread("a test");
    thread.start([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      done = true;
    });
  }
  CHECK(done);
  WorkThread thread("a test");
  thread.start([] { throw std::runtime_error("lost"); });
}

TEST_CASE("a thread for work that cannot be started is an error with advice") {
  const NoThreads none;
  CHECK_THROWS_WITH(WorkThread("a test"), StartsWith("Cannot start thread 1 of 1 for a test ("));
}
