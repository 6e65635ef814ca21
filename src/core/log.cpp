// SPDX-License-Identifier: MIT
#include "core/log.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "core/printable.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

int log_rank_number = 0;
int log_rank_count = 1;

std::atomic<bool> has_times{false};
std::atomic<const char*> line_begin{""};

// The time at the beginning of a line, or nothing. Allocates no memory: begin_log_times() has read the time zone.
class LineTime {
 public:
  LineTime() {
    if (!has_times) return;
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    if (::localtime_r(&now, &local) != nullptr) std::strftime(text_, sizeof text_, "%H:%M:%S ", &local);
  }
  const char* text() const { return text_; }

 private:
  char text_[16] = "";
};

// One fputs per line, so that lines of several threads and ranks do not mix. Names in the line may contain any bytes.
void write_line(const std::string& line) {
  std::fputs((std::string(line_begin) + LineTime().text() + printable(line) + "\n").c_str(), stderr);
}

// The beginning of a message, made printable without allocating memory.
class PrintableText {
 public:
  explicit PrintableText(const char* text) {
    std::strncpy(text_, text, sizeof text_ - 1);
    text_[make_printable(text_, std::strlen(text_))] = '\0';
  }
  const char* text() const { return text_; }

 private:
  char text_[8192] = "";  // longer than any path
};

}  // namespace

void set_log_rank(int rank, int rank_count) {
  log_rank_number = rank;
  log_rank_count = rank_count;
}

void begin_log_times() {
  ::tzset();
  has_times = true;
  LineTime();
}

void begin_log_lines_with(const char* text) {
  line_begin = text;
}

void log_root(const std::string& message) {
  if (log_rank_number == 0) write_line(message);
}

void log_rank(const std::string& message) {
  write_line(log_rank_count > 1 ? fmt::format("[{}/{}] {}", log_rank_number, log_rank_count, message) : message);
}

void log_error(const char* message) noexcept {
  const LineTime time;
  const PrintableText shown(message);
  if (log_rank_count > 1)
    std::fprintf(stderr, "%s%s[%d/%d] error: %s\n", line_begin.load(), time.text(), log_rank_number, log_rank_count,
                 shown.text());
  else
    std::fprintf(stderr, "%s%serror: %s\n", line_begin.load(), time.text(), shown.text());
}

void warn_root(const std::string& message) {
  log_root("warning: " + message);
}

}  // namespace sheaf
