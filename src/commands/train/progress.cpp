// SPDX-License-Identifier: MIT
#include "commands/train/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/log.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr double bar_period_seconds = 0.1;
constexpr double line_period_seconds = 60;
constexpr double least_line_period_seconds = 1;
constexpr double line_share = 0.05;

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

std::string progress_text(std::int64_t done, std::int64_t total, double seconds) {
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  std::string text = fmt::format("{}/{} ({:.0f}%)", done, counted(total, "iteration"), 100 * share);
  if (done > 0 && seconds > 0) {
    const double rate = static_cast<double>(done) / seconds;
    text += fmt::format(", {}/s", rate < 999.5 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate));
    if (done < total) text += fmt::format(", {} left", human_seconds(static_cast<double>(total - done) / rate));
  }
  return text;
}

std::string progress_bar(std::int64_t done, std::int64_t total, double seconds, int width) {
  const std::string text = progress_text(done, total, seconds);
  const int cells = std::min(40, width - static_cast<int>(text.size()) - 4);
  if (cells < 5) return text.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1;
  const auto filled = static_cast<std::size_t>(share * cells);
  return fmt::format("[{}{}] {}", std::string(filled, '#'), std::string(static_cast<std::size_t>(cells) - filled, '.'),
                     text);
}

Progress::Progress(ProgressKind kind, std::int64_t total) : kind_(kind), total_(total) {
  if (kind_ == ProgressKind::automatic) kind_ = is_terminal() ? ProgressKind::bar : ProgressKind::lines;
}

void Progress::update(std::int64_t done, double seconds) {
  const double waited = seconds - shown_seconds_;
  if (kind_ == ProgressKind::bar && waited >= bar_period_seconds) draw_bar(done, seconds);
  if (kind_ != ProgressKind::lines) return;
  const bool share_due = static_cast<double>(done - shown_) >= line_share * static_cast<double>(total_);
  if ((share_due && done < total_ && waited >= least_line_period_seconds) || waited >= line_period_seconds)
    write_line(done, seconds);
}

void Progress::finish(std::int64_t done, double seconds) {
  if (kind_ == ProgressKind::bar) {
    draw_bar(done, seconds);
    std::fputs("\n", stderr);
  } else if (kind_ == ProgressKind::lines) {
    write_line(done, seconds);
  }
}

void Progress::draw_bar(std::int64_t done, double seconds) {
  std::fputs(("\r" + progress_bar(done, total_, seconds, terminal_width()) + "\033[K").c_str(), stderr);
  std::fflush(stderr);
  shown_ = done;
  shown_seconds_ = seconds;
}

void Progress::write_line(std::int64_t done, double seconds) {
  log_root(progress_text(done, total_, seconds));
  shown_ = done;
  shown_seconds_ = seconds;
}

}  // namespace sheaf
