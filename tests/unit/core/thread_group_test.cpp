// SPDX-License-Identifier: MIT
#include "core/thread_group.hpp"

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "support/catch.hpp"
#include "support/no_threads.hpp"

using namespace sheaf;
using namespace sheaf::test;

TEST_CASE("each thread of a group gets its number and is joined") {
  std::vector<std::atomic<int>> times(4);
  {
    ThreadGroup group("a test");
    group.start(4, [&](std::int64_t number) { ++times[static_cast<std::size_t>(number)]; });
    CHECK(group.size() == 4);
  }
  for (const auto& count : times) CHECK(count == 1);
}

TEST_CASE("a thread that cannot be started is an error with advice, and threads already started are joined") {
  std::atomic<bool> released{false};
  std::atomic<int> ended{0};
  {
    ThreadGroup group("a test");
    group.start(1, [&](std::int64_t) {
      while (!released) {
      }
      ++ended;
    });
    {
      const NoThreads none;
      CHECK_THROWS_WITH(group.start(2, [](std::int64_t) {}),
                        StartsWith("Cannot start thread 1 of 2 for a test (") && ContainsSubstring("ulimit -u"));
    }
    CHECK(group.size() == 1);
    released = true;
  }
  CHECK(ended == 1);
}

TEST_CASE("for_each_index runs on the calling thread when no threads can be started") {
  const NoThreads none;
  std::int64_t sum = 0;
  for_each_index({0, 10}, 4, [&] { return [&](std::int64_t index) { sum += index; }; });
  CHECK(sum == 45);
}

TEST_CASE("message_of describes failed allocations as out of memory") {
  CHECK(message_of(RunError("broken.")) == std::string("broken."));
  CHECK_THAT(message_of(std::bad_alloc()), StartsWith("out of memory"));
  CHECK_THAT(message_of(std::bad_array_new_length()), StartsWith("out of memory"));
  CHECK_THAT(message_of(std::length_error("vector")), StartsWith("out of memory"));
  CHECK_FALSE(failure_message(std::exception_ptr()).has_value());
  CHECK(failure_message(std::make_exception_ptr(RunError("broken."))) == "broken.");
}
