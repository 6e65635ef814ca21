// SPDX-License-Identifier: MIT
#include "core/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/error.hpp"

namespace sheaf {

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)  // closed; open() takes the lowest free descriptor, which is `stream`
      if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

void print_result(const std::string& text, const std::string& advice) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return;
  throw RunError(fmt::format("Cannot print the result ({}). {}", std::strerror(errno), advice));
}

}  // namespace sheaf
