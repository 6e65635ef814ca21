// Where and how long tests that may run on a GPU do so.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace sheaf::test {

/// The GPU of such tests: the number in SHEAF_TEST_GPU; -1, the cores, if it is not set.
inline int test_gpu() {
  const char* number = std::getenv("SHEAF_TEST_GPU");
  return number == nullptr ? -1 : std::stoi(number);
}

/// How many random cases such tests have together: SHEAF_TEST_STACKS, otherwise `usual`.
inline std::uint64_t stacks_to_test(std::uint64_t usual) {
  const char* number = std::getenv("SHEAF_TEST_STACKS");
  return number == nullptr ? usual : std::stoull(number);
}

}  // namespace sheaf::test
