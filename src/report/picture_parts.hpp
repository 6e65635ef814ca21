// What the pictures of a report have in common. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "report/plot/bars.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/picture.hpp"
#include "report/run_report.hpp"

namespace sheaf {

inline constexpr double normal_width = 420, wide_width = 900, chart_height = 270;
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

inline constexpr const char* binned_note =
    "There are more than 2000 points: cells are the darker the more points they have.";

/// The reason why there is no picture, a sentence.
Picture without(const std::string& name, const std::string& title, const std::string& why);

/// A picture of a drawing, and one of a chart of normal_width and chart_height.
Picture drawn(const std::string& name, const std::string& title, const std::string& description, double width,
              const Drawing& drawing, const std::string& note = "");
Picture drawn(const std::string& name, const std::string& title, const std::string& description, const Chart& chart,
              const std::string& note = "");

/// An axis of values: logarithmic for positive values of very different sizes. If some are far from the others, they
/// are outside, and `note` says so.
struct ValueAxis {
  ChartAxis axis;
  std::string note;
};
ValueAxis value_axis(const std::string& label, const std::vector<double>& values);
bool is_outside(const ChartAxis& axis, double value);

/// The values of all objects, and their ranks: 0 is best.
std::vector<double> values_of(const RunReport& report);
std::vector<std::int64_t> ranks_of(const RunReport& report);

/// The number of objects that are shown as the best ones: a tenth, at least one.
std::int64_t best_count(const RunReport& report);

/// "trial 12, rank 3: accuracy 0.9712".
std::string object_text(const RunReport& report, const RankedObject& object, std::int64_t rank);

/// Two sentences, of which one may be empty.
std::string joined(const std::string& one, const std::string& other);

}  // namespace sheaf
