// How a long run shows that it lives.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "study/study.hpp"

namespace sheaf {

/// "34/60 iterations (57 %), 12.3/s, 2.1 s left".
std::string progress_text(std::int64_t done, std::int64_t total, double seconds);

/// The same behind a bar, at most `width` columns.
std::string progress_bar(std::int64_t done, std::int64_t total, double seconds, int width);

/// Shows progress on stderr: a bar that is drawn over itself on a terminal, else a line every 5 % of the work, but no
/// more than one a second, and at least one every 60 seconds. Local; only rank 0 has one.
class Progress {
 public:
  Progress(ProgressKind kind, std::int64_t total);
  /// Shows what is due at `seconds` since the start with `done` iterations finished.
  void update(std::int64_t done, double seconds);
  /// Shows the end.
  void finish(std::int64_t done, double seconds);

 private:
  void draw_bar(std::int64_t done, double seconds);
  void write_line(std::int64_t done, double seconds);

  ProgressKind kind_;
  std::int64_t total_;
  std::int64_t shown_ = 0;
  double shown_seconds_ = 0;
};

}  // namespace sheaf
