// SPDX-License-Identifier: MIT
#include "core/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("for_each_index processes every index once, for any number of threads") {
  for (const std::int64_t threads : {1, 2, 3, 8}) {
    for (const IndexRange indices : {IndexRange{0, 0}, {0, 1}, {5, 1000}}) {
      std::vector<std::atomic<int>> times(1000);
      std::atomic<std::int64_t> makers{0};
      for_each_index(indices, threads, [&] {
        ++makers;
        return [&](std::int64_t index) { ++times[static_cast<std::size_t>(index)]; };
      });
      for (std::int64_t index = 0; index < 1000; ++index)
        CHECK(times[static_cast<std::size_t>(index)] == (index >= indices.begin && index < indices.end ? 1 : 0));
      CHECK(makers >= 1);
      CHECK(makers <= threads);
    }
  }
}

TEST_CASE("for_each_index throws the error of the lowest failing index, after all lower indices are done") {
  for (int repeat = 0; repeat < 200; ++repeat) {
    std::atomic<std::int64_t> done{0};
    std::string message;
    try {
      for_each_index({0, 100}, 4, [&] {
        return [&](std::int64_t index) {
          if (index == 40 || index == 41 || index == 42) throw std::runtime_error(std::to_string(index));
          if (index < 40) ++done;
        };
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    REQUIRE(message == "40");
    REQUIRE(done == 40);
  }
}
