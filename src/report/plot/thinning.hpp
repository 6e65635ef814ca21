// Fewer marks for pictures of many values. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sheaf {

struct Point {
  double x = 0, y = 0;
};

/// Pictures with more marks are thinned or binned.
inline constexpr std::size_t max_marks = 2000;

/// At most about 4 * `columns` points of a line, `points` with ascending x: of each of `columns` equal parts of x, the
/// first, the lowest, the highest and the last one. So the line looks the same at this width.
std::vector<Point> thinned_line(const std::vector<Point>& points, std::size_t columns);

/// `count` of `size` indices, ascending and evenly spread, with the first and the last one; all if there are fewer.
std::vector<std::size_t> spread_indices(std::size_t size, std::size_t count);

/// The number of points in each of rows x columns equal cells of a range, row by row, the lowest y first. Points
/// outside are not counted.
struct DensityGrid {
  std::size_t columns = 0, rows = 0;
  std::vector<std::int64_t> counts;
};
DensityGrid density_of(const std::vector<Point>& points, Point low, Point high, std::size_t columns, std::size_t rows);

}  // namespace sheaf
