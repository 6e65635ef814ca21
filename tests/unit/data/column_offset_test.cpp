// SPDX-License-Identifier: MIT
#include "data/column_offset.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// `count` numbers around `middle`.
std::vector<double> around(double middle, double distance, int count = 101) {
  std::vector<double> values;
  for (int number = 0; number < count; ++number) values.push_back(middle + distance * (number - count / 2));
  return values;
}

std::vector<double> as_floats(std::vector<double> values) {
  for (double& value : values) value = double{static_cast<float>(value)};
  return values;
}

}  // namespace

TEST_CASE("numbers that are large compared to their differences have their median as offset") {
  CHECK(column_offset(around(1.7e9, 0.3)) == 1.7e9);
  CHECK(column_offset(around(-1.7e9, 0.3)) == -1.7e9);
  CHECK(column_offset(around(1e-3, 1e-9)) == 1e-3);
  auto values = around(1.7e9, 0.3);
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  values.push_back(HUGE_VAL);
  CHECK(column_offset(values) == 1.7e9);
}

TEST_CASE("other numbers have no offset") {
  CHECK(column_offset({}) == 0);
  CHECK(column_offset({std::numeric_limits<double>::quiet_NaN()}) == 0);
  CHECK(column_offset(around(0.1, 1)) == 0);
  CHECK(column_offset(around(1000.1, 0.1)) == 0);  // the spread is 5
  CHECK(column_offset(around(2000, 1)) == 0);      // exact
  CHECK(column_offset(around(16777216, 2)) == 0);  // exact
  CHECK(column_offset(around(16777216, 1)) != 0);  // odd numbers above 2^24 are not
  CHECK(column_offset(as_floats(around(1.7e9, 0.3))) == 0);
  CHECK(column_offset({-3.4e38, 0.1, 3.4e38}) == 0);
}

TEST_CASE("a column with one frequent value is judged by the mean distance, a constant one has it as offset") {
  std::vector<double> values(100, 1.7e9 + 1);
  CHECK(column_offset(values) == 1.7e9 + 1);
  values.resize(130, 1.7e9);
  CHECK(column_offset(values) == 1.7e9 + 1);
  values.resize(131, 0);
  CHECK(column_offset(values) == 0);
}

TEST_CASE("a column of floats whose differences are near the distance of floats has lost digits") {
  CHECK(has_lost_digits(as_floats(around(1.7e9, 30))));
  CHECK_FALSE(has_lost_digits(as_floats(around(1.7e9, 3e5))));
  CHECK_FALSE(has_lost_digits(around(16777000, 1)));  // integers that float represents
  CHECK(has_lost_digits(as_floats(around(4e6 + 0.1, 0.01, 1001))));
  CHECK_FALSE(has_lost_digits(as_floats(around(0.1, 0.001))));
  CHECK_FALSE(has_lost_digits({}));
  CHECK_FALSE(has_lost_digits({0.1, 0.1}));
}
