// SPDX-License-Identifier: MIT
#include "report/plot/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a thinned line keeps its ends and extremes, and is ascending in x") {
  std::vector<Point> points;
  for (int at = 0; at < 100000; ++at) points.push_back({double(at), std::sin(at * 0.01)});
  points[54321].y = 9;
  points[12345].y = -9;
  const std::vector<Point> thinned = thinned_line(points, 300);
  CHECK(thinned.size() <= 1200);
  CHECK(thinned.size() >= 600);
  CHECK(thinned.front().x == 0);
  CHECK(thinned.back().x == 99999);
  const auto by_x = [](const Point& a, const Point& b) { return a.x < b.x; };
  const auto by_y = [](const Point& a, const Point& b) { return a.y < b.y; };
  CHECK(std::is_sorted(thinned.begin(), thinned.end(), by_x));
  const auto [low, high] = std::minmax_element(thinned.begin(), thinned.end(), by_y);
  CHECK(low->y == -9);
  CHECK(high->y == 9);
}

TEST_CASE("a short line, and a line of equal x, are kept and thinned") {
  CHECK(thinned_line({{0, 1}, {1, 2}}, 10).size() == 2);
  CHECK(thinned_line({}, 10).empty());
  CHECK(thinned_line(std::vector<Point>(1000, {3, 1}), 10).size() == 2);
}

TEST_CASE("spread indices have both ends") {
  CHECK(spread_indices(3, 10) == std::vector<std::size_t>{0, 1, 2});
  CHECK(spread_indices(11, 3) == std::vector<std::size_t>{0, 5, 10});
  CHECK(spread_indices(0, 3).empty());
  CHECK(spread_indices(5, 1) == std::vector<std::size_t>{0});
  CHECK(spread_indices(5, 0).empty());
}

TEST_CASE("a density counts each point inside once") {
  const DensityGrid grid = density_of({{0, 0}, {1, 1}, {0.5, 0.6}, {2, 0}, {std::nan(""), 0}}, {0, 0}, {1, 1}, 2, 2);
  CHECK(grid.counts == std::vector<std::int64_t>{1, 0, 0, 2});
  CHECK(std::accumulate(grid.counts.begin(), grid.counts.end(), std::int64_t{0}) == 3);
}
