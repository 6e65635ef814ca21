// SPDX-License-Identifier: MIT
#include "commands/train/training/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/log.hpp"
#include "core/per_second.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr double bar_period_seconds = 0.1;
constexpr double line_period_seconds = 60;
constexpr double min_line_period_seconds = 1;
constexpr double line_share = 0.05;
constexpr const char* clear_line = "\r\033[K";

int terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

// A bar needs a terminal that can go back to the start of a line.
bool is_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) && term && std::string(term) != "dumb";
}

double share_of(std::int64_t done, std::int64_t total) {
  return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
}

}  // namespace

std::string progress_text(std::int64_t done, std::optional<std::int64_t> total, double seconds,
                          const std::optional<std::string>& best, const std::string& stage) {
  std::string text = stage + (stage.empty() ? "" : ": ");
  text += total ? fmt::format("{}/{} ({:.0f}%)", done, counted(*total, "iteration"), 100 * share_of(done, *total))
                : counted(done, "iteration");
  if (done > 0 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    text += ", " + per_second(rate);
    if (total && done < *total)
      text += fmt::format(", {} left", human_seconds(static_cast<double>(*total - done) / rate));
  }
  return best ? text + ", " + *best : text;
}

std::string progress_bar(std::int64_t done, std::optional<std::int64_t> total, double seconds,
                         const std::optional<std::string>& best, int width, const std::string& stage) {
  const std::string text = progress_text(done, total, seconds, best, stage);
  const int cells = std::min(40, width - static_cast<int>(text.size()) - 4);
  if (cells < 5 || !total) return text.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  const auto filled = static_cast<std::size_t>(share_of(done, *total) * cells);
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(static_cast<std::size_t>(cells) - filled, '.'),
                     text);
}

Progress::Progress(AutoOr<ProgressKind> kind, std::optional<std::int64_t> total, ProgressValue value, std::string stage)
    : kind_(kind.value_or(is_terminal() ? ProgressKind::bar : ProgressKind::lines)),
      total_(total),
      value_(std::move(value)),
      stage_(std::move(stage)) {
  if (kind_ == ProgressKind::bar) begin_log_lines_with(clear_line);
}

void Progress::update(std::int64_t done, double lowest_cost) {
  const double seconds = seconds_since(start_);
  const double waited = seconds - shown_seconds_;
  done_ = done;
  lowest_cost_ = std::min(lowest_cost_, lowest_cost);
  if (kind_ == ProgressKind::bar && waited >= bar_period_seconds) draw_bar(seconds);
  if (kind_ != ProgressKind::lines) return;
  const bool share_due =
      total_ && done < *total_ && static_cast<double>(done - shown_) >= line_share * static_cast<double>(*total_);
  if ((share_due && waited >= min_line_period_seconds) || waited >= line_period_seconds) write_line(seconds);
}

void Progress::finish() {
  if (kind_ == ProgressKind::bar) {
    draw_bar(seconds_since(start_));
    std::fputs("\n", stderr);
    begin_log_lines_with("");
  } else if (kind_ == ProgressKind::lines) {
    write_line(seconds_since(start_));
  }
}

void Progress::draw_bar(double seconds) {
  const std::string bar =
      progress_bar(done_, total_, seconds, best_so_far(value_, lowest_cost_), terminal_width(), stage_);
  std::fputs(("\r" + bar + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = done_;
  shown_seconds_ = seconds;
}

void Progress::write_line(double seconds) {
  log_root(progress_text(done_, total_, seconds, best_so_far(value_, lowest_cost_), stage_));
  shown_ = done_;
  shown_seconds_ = seconds;
}

}  // namespace sheaf
