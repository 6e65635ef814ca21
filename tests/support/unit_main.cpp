// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  Catch::Session session;
  const int failed = session.run(argc, argv);
  return failed == 0 ? 0 : 1;
}
