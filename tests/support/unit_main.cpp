// SPDX-License-Identifier: MIT
#include "support/run_catch.hpp"

int main(int argc, char** argv) {
  return sheaf::run_catch(argc, argv, false) == 0 ? 0 : 1;
}
