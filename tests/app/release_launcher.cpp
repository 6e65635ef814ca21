// Releases the launcher that it runs under, as a rank does that has lost the other hosts (launcher.py).
// SPDX-License-Identifier: MIT
#include "parallel/mpi/launcher.hpp"

#include <csignal>

int main() {
  std::signal(SIGUSR1, [](int) {});
  sheaf::release_launcher_after();
}
