// SPDX-License-Identifier: MIT
#include "core/log.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace sheaf {
namespace {

int log_rank_number = 0;
int log_rank_count = 1;

// One fputs per line, so that lines of several threads and ranks do not mix.
void write_line(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
}

}  // namespace

void set_log_rank(int rank, int rank_count) {
  log_rank_number = rank;
  log_rank_count = rank_count;
}

void log_root(const std::string& message) {
  if (log_rank_number == 0) write_line(message);
}

void log_rank(const std::string& message) {
  write_line(log_rank_count > 1 ? fmt::format("[{}/{}] {}", log_rank_number, log_rank_count, message) : message);
}

void log_error(const char* message) noexcept {
  if (log_rank_count > 1)
    std::fprintf(stderr, "[%d/%d] error: %s\n", log_rank_number, log_rank_count, message);
  else
    std::fprintf(stderr, "error: %s\n", message);
}

void warn_root(const std::string& message) {
  log_root("warning: " + message);
}

}  // namespace sheaf
