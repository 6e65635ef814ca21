// Behaves like an OpenCL runtime whose compiler replaces signal handlers (PoCL does): loaded by libOpenCL.so, it ends
// the process at a signal without calling earlier handlers, and creates the file named in OPENCL_WAS_LOADED.
// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdlib>
#include <fstream>

namespace {

extern "C" void end_by_signal(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
}

struct Runtime {
  Runtime() {
    if (const char* marker = std::getenv("OPENCL_WAS_LOADED")) std::ofstream(marker) << "loaded\n";
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) std::signal(number, end_by_signal);
  }
} const runtime;

}  // namespace
