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

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t total, double seconds, const std::optional<std::string>& best,
                          const std::string& stage) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  std::string text = fmt::format("{}{}{}/{} ({:.0f}%)", stage, stage.empty() ? "" : ": ", done,
                                 counted(total, "iteration"), 100 * share);
  if (done > 0 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    text += ", " + per_second(rate);
    if (done < total) text += fmt::format(", {} left", human_seconds(static_cast<double>(total - done) / rate));
  }
  return best ? text + ", " + *best : text;
}

std::string progress_bar(std::int64_t done, std::int64_t total, double seconds, const std::optional<std::string>& best,
                         int width, const std::string& stage) {
  const std::string text = progress_text(done, total, seconds, best, stage);
  const int cells = std::min(40, width - static_cast<int>(text.size()) - 4);
  if (cells < 5) return text.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  const auto filled = static_cast<std::size_t>(share * cells);
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(static_cast<std::size_t>(cells) - filled, '.'),
                     text);
}

Progress::Progress(ProgressKind kind, std::int64_t total, ProgressValue value, std::string stage)
    : kind_(kind), total_(total), value_(std::move(value)), stage_(std::move(stage)) {
  if (kind_ == ProgressKind::automatic) kind_ = is_terminal() ? ProgressKind::bar : ProgressKind::lines;
  if (kind_ == ProgressKind::bar) begin_log_lines_with(clear_line);
}

void Progress::update(std::int64_t done, double seconds, double lowest_cost) {
  const double waited = seconds - shown_seconds_;
  if (kind_ == ProgressKind::bar && waited >= bar_period_seconds) draw_bar(done, seconds, lowest_cost);
  if (kind_ != ProgressKind::lines) return;
  const bool share_due = static_cast<double>(done - shown_) >= line_share * static_cast<double>(total_);
  if ((share_due && done < total_ && waited >= min_line_period_seconds) || waited >= line_period_seconds)
    write_line(done, seconds, lowest_cost);
}

void Progress::finish(std::int64_t done, double seconds, double lowest_cost) {
  if (kind_ == ProgressKind::bar) {
    draw_bar(done, seconds, lowest_cost);
    std::fputs("\n", stderr);
    begin_log_lines_with("");
  } else if (kind_ == ProgressKind::lines) {
    write_line(done, seconds, lowest_cost);
  }
}

void Progress::draw_bar(std::int64_t done, double seconds, double lowest_cost) {
  const std::string bar =
      progress_bar(done, total_, seconds, best_so_far(value_, lowest_cost), terminal_width(), stage_);
  std::fputs(("\r" + bar + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = done;
  shown_seconds_ = seconds;
}

void Progress::write_line(std::int64_t done, double seconds, double lowest_cost) {
  log_root(progress_text(done, total_, seconds, best_so_far(value_, lowest_cost), stage_));
  shown_ = done;
  shown_seconds_ = seconds;
}

}  // namespace sheaf
