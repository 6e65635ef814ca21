// Bars with names and numbers, and heat maps of counts. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/plot/picture.hpp"

namespace sheaf {

/// The marks of a picture and their height.
struct Drawing {
  std::string body;
  double height = 0;
};

struct Bar {
  std::string name;
  double value = 0;  ///< of draw_parts() at least 0
  std::string text;  ///< shown after the bar
  std::string classes;
  double spread = 0;  ///< at least 0: draw_bars() draws a line from value - spread to value + spread
};

/// One bar below the other, from 0 to its value. Bars and spreads take the whole width.
Drawing draw_bars(const std::vector<Bar>& bars, double width);

/// One bar with the parts side by side, and a legend with their texts.
Drawing draw_parts(const std::vector<Bar>& parts, double width);

/// A heat map of counts, row by row, with the names of rows and columns; each row is shaded by its own sum.
Drawing draw_counts(const std::vector<std::string>& names, const std::vector<std::int64_t>& counts,
                    const std::string& row_title, const std::string& column_title, double width);

}  // namespace sheaf
