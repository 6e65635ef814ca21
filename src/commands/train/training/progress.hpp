// Progress of a run on stderr.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/clock.hpp"
#include "search/iteration_value.hpp"
#include "study/run_options.hpp"

namespace sheaf {

/// "34/60 iterations (57%), 12.3/s, 2.1 s left, best accuracy 0.9783". `best`: best_so_far(). If `stage` is not empty,
/// all numbers are those of this stage: "stage 1 of 0..3: 34/60 iterations ...". Without a total: "34
/// iterations, 12.3/s,
/// ...".
std::string progress_text(std::int64_t done, std::optional<std::int64_t> total, double seconds,
                          const std::optional<std::string>& best, const std::string& stage = "");

/// The same text after a bar (none without a total), at most `width` columns.
std::string progress_bar(std::int64_t done, std::optional<std::int64_t> total, double seconds,
                         const std::optional<std::string>& best, int width, const std::string& stage = "");

/// Shows progress on stderr. On a terminal, a bar is redrawn in place. Otherwise a line is written after every 5 % of
/// the work, at most once per second and at least every 60 seconds. Local, for rank 0.
class Progress {
 public:
  /// The time begins now. `total`: iterations, if their number is known; `stage`: progress_text().
  Progress(AutoOr<ProgressKind> kind, std::optional<std::int64_t> total, ProgressValue value, std::string stage);
  /// Redraws the bar or writes a line if it is due. `done`: finished iterations; `lowest_cost`: of some of them.
  void update(std::int64_t done, double lowest_cost);
  /// Shows the final state.
  void finish();

 private:
  void draw_bar(double seconds);
  void write_line(double seconds);

  ProgressKind kind_;
  std::optional<std::int64_t> total_;
  ProgressValue value_;
  std::string stage_;
  const Clock::time_point start_ = Clock::now();
  std::int64_t done_ = 0;
  double lowest_cost_ = std::numeric_limits<double>::infinity();
  std::int64_t shown_ = 0;
  double shown_seconds_ = 0;
};

}  // namespace sheaf
