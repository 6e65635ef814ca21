// SPDX-License-Identifier: MIT
#include "search/normal_mass.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("mean normal densities have the values of mpmath, near the center and far from it, wide and narrow") {
  struct Row {
    double center, width, expected;
  };
  for (const auto& [center, width, expected] : {Row{0, 1e-9, -0.91893853320467274182},
                                                {0, 0.009, -0.91894190820011649471},
                                                {0, 0.011, -0.9189435748611720571},
                                                {0, 1, -0.95991633369562231933},
                                                {0.3, 0.7, -0.98238209602000443907},
                                                {0.5, 1, -1.0748623268620713817},
                                                {2.5, 0.004, -4.0439350332101893972},
                                                {2.5, 0.02, -4.0438510366524143692},
                                                {2.5, 3, -2.9398335766304021657},
                                                {7.9, 0.0099, -32.123687763933192239},
                                                {7.9, 0.0101, -32.123677530083866514},
                                                {9, 0.1, -41.385841093763629895},
                                                {20, 1, -194.01696577945859374},
                                                {30, 0.0099, -450.915269951830066},
                                                {30, 0.5, -446.15099747537071451},
                                                {35, 2, -583.13930942743163039}}) {
    CAPTURE(center, width);
    CHECK(std::abs(log_mean_normal_density(center, width) - expected) < 2e-11 * std::max(1.0, std::abs(expected)));
    CHECK(log_mean_normal_density(-center, width) == log_mean_normal_density(center, width));
  }
  CHECK(std::isinf(log_mean_normal_density(50, 1)));
}

TEST_CASE("normal tails") {
  CHECK(normal_tail(0) == 0.5);
  CHECK(normal_tail(1.959963984540054) == Approx(0.025).epsilon(1e-14));
  CHECK(normal_tail(10) == Approx(7.619853024160526e-24).epsilon(1e-13));
}
