// SPDX-License-Identifier: MIT
#include "search/parzen_estimator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "core/random/random_stream.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

const SearchAxis numbers({"", {"0", "1"}, Sampling::uniform});
const SearchAxis rates({"", {"1e-4", "0.1"}, Sampling::log_uniform});
const SearchAxis few({"", {"1", "5"}, Sampling::integer});
const SearchAxis widths({"", {"1", "40"}, Sampling::log_integer});
const SearchAxis names({"", {"a", "b", "c", "d"}});

using Positions = std::vector<double>;

ParzenEstimator estimator_on(const std::vector<SearchAxis>& axes, const std::vector<Positions>& positions) {
  std::vector<AxisObservations> observations;
  for (const Positions& of_axis : positions) {
    AxisObservations& added = observations.emplace_back(AxisObservations{of_axis, {}});
    for (std::size_t index = 0; index < of_axis.size(); ++index)
      added.ascending.push_back(static_cast<std::int32_t>(index));
    std::stable_sort(added.ascending.begin(), added.ascending.end(),
                     [&](auto a, auto b) { return of_axis[std::size_t(a)] < of_axis[std::size_t(b)]; });
  }
  return ParzenEstimator(axes, observations);
}

std::vector<Positions> drawn_from(const ParzenEstimator& estimator, int count) {
  RandomStream stream(3, Purpose::tpe_candidates, 8);
  std::vector<Positions> points;
  for (int point = 0; point < count; ++point) points.push_back(estimator.draw(stream));
  return points;
}

double density(const ParzenEstimator& estimator, const Positions& point) {
  return std::exp(estimator.log_density(point));
}

constexpr int draws = 20000;
constexpr int steps = 2000;  // of an integral over a range

}  // namespace

TEST_CASE("the newest 25 observations have a weight of 1, older ones a ramp") {
  CHECK(age_weights(0).empty());
  CHECK(age_weights(24) == Positions(24, 1.0));
  CHECK(age_weights(25) == Positions(25, 1.0));
  CHECK(age_weights(26)[0] == 1.0 / 26);
  CHECK(age_weights(26)[1] == 1);
  const Positions weights = age_weights(45);
  CHECK(weights[0] == 1.0 / 45);
  CHECK(weights[10] - weights[9] == Approx((1 - 1.0 / 45) / 19));
  CHECK(weights[19] == Approx(1));
}

TEST_CASE("without observations, points are nearly uniform") {
  const ParzenEstimator estimator = estimator_on({numbers, names}, {{}, {}});
  const double log_mass = std::log(std::erf(0.5 / std::sqrt(2.0)));
  CHECK(estimator.log_density({0.5, 3}) == Approx(-0.5 * std::log(2 * M_PI) - log_mass));
  CHECK(estimator.log_density({0, 0}) == Approx(-0.125 - 0.5 * std::log(2 * M_PI) - log_mass));
}

TEST_CASE("a single observation has the distance to the farther end as its deviation, two have their distance") {
  const auto ratio = [](const Positions& positions, double a, double b) {
    const ParzenEstimator estimator = estimator_on({numbers}, {positions});
    return std::pair(density(estimator, {a}), density(estimator, {b}));
  };
  const auto kernel = [](double x, double center, double deviation) {
    const auto below = [&](double end) { return 0.5 * std::erfc(-(end - center) / deviation / std::sqrt(2.0)); };
    const double z = (x - center) / deviation;
    return std::exp(-0.5 * z * z) / std::sqrt(2 * M_PI) / deviation / (below(1) - below(0));
  };
  const auto [near, far] = ratio({0.2}, 0.25, 0.9);
  CHECK(near == Approx(0.5 * kernel(0.25, 0.2, 0.8) + 0.5 * kernel(0.25, 0.5, 1)));
  CHECK(far == Approx(0.5 * kernel(0.9, 0.2, 0.8) + 0.5 * kernel(0.9, 0.5, 1)));
  const auto [first, second] = ratio({0.7, 0.3}, 0.1, 0.7);
  for (const auto& [found, x] : {std::pair(first, 0.1), std::pair(second, 0.7)})
    CHECK(found == Approx((kernel(x, 0.3, 0.4) + kernel(x, 0.7, 0.4) + kernel(x, 0.5, 1)) / 3));
}

TEST_CASE("densities of ranges are those of their draws, and add up to 1") {
  for (const SearchAxis& axis : {numbers, rates})
    for (const Positions& positions : {Positions{}, Positions{0.03}, Positions{0, 1, 0.4, 0.41, 0.41}}) {
      const ParzenEstimator estimator = estimator_on({axis}, {positions});
      std::vector<double> below{0};  // the mass below each step
      for (int step = 0; step < steps; ++step)
        below.push_back(below.back() + density(estimator, {(step + 0.5) / steps}) / steps);
      CHECK(below.back() == Approx(1).epsilon(1e-5));
      std::vector<double> found;
      for (const Positions& point : drawn_from(estimator, draws)) found.push_back(point[0]);
      std::sort(found.begin(), found.end());
      double largest = 0;
      for (int index = 0; index < draws; ++index) {
        const double at = found[static_cast<std::size_t>(index)] * steps;
        const auto step = static_cast<std::size_t>(std::min(at, steps - 1.0));
        const double mass = below[step] + (below[step + 1] - below[step]) * (at - static_cast<double>(step));
        largest = std::max(largest, std::abs(mass - (index + 0.5) / draws));
      }
      CHECK(largest < 1.95 / std::sqrt(double{draws}));  // Kolmogorov and Smirnov: probability 0.001
    }
}

TEST_CASE("densities of integers and lists are those of their draws, and add up to 1") {
  const auto check = [](const SearchAxis& axis, const Positions& positions, const Positions& values,
                        const Positions& uniform, double limit) {
    const ParzenEstimator estimator = estimator_on({axis}, {positions});
    const std::vector<Positions> points = drawn_from(estimator, draws);
    double total = 0, distance = 0;
    for (std::size_t index = 0; index < values.size(); ++index) {
      const double expected = draws * density(estimator, {values[index]}) * uniform[index];
      const auto found = std::count_if(points.begin(), points.end(),
                                       [&](const Positions& point) { return point[0] == values[index]; });
      total += expected / draws;
      distance += (static_cast<double>(found) - expected) * (static_cast<double>(found) - expected) / expected;
    }
    CHECK(total == Approx(1).epsilon(1e-12));
    CHECK(distance < limit);  // chi-square: probability 0.001
  };
  for (const auto& [axis, last, limit] : {std::tuple(few, 5, 18.5), std::tuple(widths, 40, 72.1)})
    for (const Positions& observed : {Positions{}, Positions{1}, Positions{5, 5, 4, 5}, Positions{2, 1, 3, 4, 5}}) {
      Positions positions, values, uniform;
      for (const double value : observed) positions.push_back(axis.position(value));
      for (int value = 1; value <= last; ++value) {
        values.push_back(axis.position(value));
        uniform.push_back(axis.cell(value).width);
      }
      check(axis, positions, values, uniform, limit);
    }
  for (const Positions& observed : {Positions{}, Positions{3}, Positions{0, 0, 2, 0}})
    check(names, observed, {0, 1, 2, 3}, Positions(4, 0.25), 16.3);
}

TEST_CASE("the coordinates of a drawn point belong to one observation") {
  const ParzenEstimator estimator =
      estimator_on({numbers, numbers, names}, {{0.1, 0.9, 0.11, 0.89}, {0.1, 0.9, 0.11, 0.89}, {0, 3, 0, 3}});
  double expected = 0;
  constexpr int grid = 100;
  for (int x = 0; x < grid / 2; ++x)
    for (int y = 0; y < grid / 2; ++y)
      expected += 0.25 * density(estimator, {(x + 0.5) / grid, (y + 0.5) / grid, 0}) / (grid * grid);
  const auto points = drawn_from(estimator, draws);
  const auto found = std::count_if(points.begin(), points.end(), [](const Positions& point) {
    return point[0] < 0.5 && point[1] < 0.5 && point[2] == 0;
  });
  CHECK(std::abs(static_cast<double>(found) - draws * expected) < 4 * std::sqrt(draws * expected * (1 - expected)));
  CHECK(expected > 0.15);  // it would be below 0.1 if they were independent
}

TEST_CASE("densities do not underflow or overflow on many axes") {
  const std::size_t axes = 400;
  std::vector<Positions> positions(axes);
  for (Positions& of_axis : positions)
    for (int trial = 0; trial < 120; ++trial) of_axis.push_back(trial / 119.0);
  const ParzenEstimator estimator = estimator_on(std::vector<SearchAxis>(axes, numbers), positions);
  CHECK(estimator.log_density(Positions(axes, 0.5 / 119 + 0.5)) > 1000);
  Positions alternating;
  for (std::size_t axis = 0; axis < axes; ++axis) alternating.push_back(axis % 2 == 0 ? 0 : 1);
  CHECK(std::isfinite(estimator.log_density(alternating)));
}
