// SPDX-License-Identifier: MIT
#include "core/standard_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "core/error.hpp"
#include "core/printable.hpp"

namespace sheaf {

void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)  // closed; open() takes the lowest free descriptor, which is `stream`
      if (::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
}

std::size_t output_width() {
  constexpr std::size_t other_width = 100;
  const char* columns = std::getenv("COLUMNS");
  const std::string_view text = columns ? columns : "";
  std::size_t wanted = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
  if (error == std::errc{} && end == text.data() + text.size() && wanted > 0) return wanted;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : other_width;
}

void print_result(const std::string& text, const std::string& advice) {
  const std::string shown = printable_lines(text);
  const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size();
  if (std::fflush(stdout) == 0 && written) return;
  throw RunError(fmt::format("Cannot print the result ({}). {}", std::strerror(errno), advice));
}

}  // namespace sheaf
