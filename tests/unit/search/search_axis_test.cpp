// SPDX-License-Identifier: MIT
#include "search/search_axis.hpp"

#include <cmath>
#include <string>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

SearchAxis range(Sampling sampling, const std::string& low, const std::string& high) {
  return SearchAxis({"", {low, high}, sampling});
}

}  // namespace

TEST_CASE("positions of ranges are linear or logarithmic, and are mapped back to their values") {
  const SearchAxis linear = range(Sampling::uniform, "-2", "6");
  CHECK(linear.position(0) == 0.25);
  CHECK(linear.value(0.25) == 0);
  CHECK(range(Sampling::uniform, "-1e308", "1e308").position(5e307) == 0.75);
  const SearchAxis logarithmic = range(Sampling::log_uniform, "1e-4", "0.1");
  CHECK(logarithmic.position(1e-3) == Approx(1.0 / 3).epsilon(1e-14));
  for (const double position : {0.0, 0.1, 0.77, 1.0})
    CHECK(logarithmic.position(logarithmic.value(position)) == Approx(position).margin(1e-13));
  CHECK(range(Sampling::log_uniform, "1e-300", "1e300").position(1) == Approx(0.5));
}

TEST_CASE("the cells of integers cover the scale without gaps, and have the position of their integer") {
  for (const Sampling sampling : {Sampling::integer, Sampling::log_integer}) {
    const SearchAxis axis = range(sampling, "3", "40");
    double end = 0;
    for (int integer = 3; integer <= 40; ++integer) {
      const auto [center, width] = axis.cell(integer);
      CHECK(center - width / 2 == Approx(end).margin(1e-14));
      end = center + width / 2;
      CHECK(axis.position(integer) > center - width / 2);
      CHECK(axis.position(integer) < end);
      CHECK(axis.integer(center - 0.49999 * width) == integer);
      CHECK(axis.integer(center + 0.49999 * width) == integer);
    }
    CHECK(end == Approx(1).epsilon(1e-14));
    CHECK(axis.integer(0) == 3);
    CHECK(axis.integer(1) == 40);
  }
  CHECK(range(Sampling::integer, "0", "4").position(2) == 0.5);
  CHECK(range(Sampling::integer, "0", "4").cell(4).width == Approx(0.2));
  // log(1 + 1e-9) / log(1e9), which is not a difference of rounded logarithms
  CHECK(range(Sampling::log_integer, "1", "1000000000").cell(1000000000).width ==
        Approx(1e-9 / std::log(2e9)).epsilon(1e-8));
}

TEST_CASE("a list has candidates instead of a scale") {
  const SearchAxis axis({"", {"a", "b", "c"}});
  CHECK(axis.is_list());
  CHECK(axis.candidate_count() == 3);
  CHECK_FALSE(axis.is_integer());
}
