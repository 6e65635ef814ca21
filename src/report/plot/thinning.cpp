// SPDX-License-Identifier: MIT
#include "report/plot/thinning.hpp"

#include <algorithm>
#include <cmath>

namespace sheaf {

std::vector<Point> thinned_line(const std::vector<Point>& points, std::size_t columns) {
  if (points.size() <= 4 * columns) return points;
  const double low = points.front().x, span = points.back().x - low;
  const auto column_of = [&](const Point& point) {
    return span > 0 ? std::min(columns - 1, static_cast<std::size_t>((point.x - low) / span * double(columns))) : 0;
  };
  std::vector<Point> thinned;
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin, lowest = begin, highest = begin;
    for (; end < points.size() && column_of(points[end]) == column_of(points[begin]); ++end) {
      if (points[end].y < points[lowest].y) lowest = end;
      if (points[end].y > points[highest].y) highest = end;
    }
    std::vector<std::size_t> kept = {begin, lowest, highest, end - 1};
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    for (const std::size_t index : kept) thinned.push_back(points[index]);
    begin = end;
  }
  return thinned;
}

std::vector<std::size_t> spread_indices(std::size_t size, std::size_t count) {
  std::vector<std::size_t> indices(std::min(size, count));
  for (std::size_t number = 0; number < indices.size(); ++number)
    indices[number] = size <= count || count == 1 ? number : number * (size - 1) / (count - 1);
  return indices;
}

DensityGrid density_of(const std::vector<Point>& points, Point low, Point high, std::size_t columns, std::size_t rows) {
  DensityGrid grid{columns, rows, std::vector<std::int64_t>(columns * rows)};
  const auto cell_of = [](double value, double first, double last, std::size_t cells) {
    return std::min(cells - 1, static_cast<std::size_t>((value - first) / (last - first) * double(cells)));
  };
  for (const Point& point : points) {
    if (!(point.x >= low.x && point.x <= high.x && point.y >= low.y && point.y <= high.y)) continue;
    if (!(high.x > low.x) || !(high.y > low.y)) continue;
    ++grid.counts[cell_of(point.y, low.y, high.y, rows) * columns + cell_of(point.x, low.x, high.x, columns)];
  }
  return grid;
}

}  // namespace sheaf
