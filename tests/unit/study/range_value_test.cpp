// SPDX-License-Identifier: MIT
#include "study/range_value.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("values of ranges have at most six significant digits") {
  CHECK(range_value(Sampling::uniform, "0", "1", 0.123456789) == "0.123457");
  CHECK(range_value(Sampling::log_uniform, "1e-09", "1", 1.0000004e-5) == "1e-05");
  CHECK(range_value(Sampling::uniform, "0", "1e+09", 123456789) == "123457000");
}

TEST_CASE("values outside a range, also after rounding, are its ends with all their digits") {
  CHECK(range_value(Sampling::uniform, "0.12345678", "0.5", 0.123457) == "0.123457");
  CHECK(range_value(Sampling::uniform, "0.12345741", "0.5", 0.12345742) == "0.12345741");
  CHECK(range_value(Sampling::uniform, "0", "0.12345678", 0.12345677) == "0.12345678");
  CHECK(range_value(Sampling::uniform, "0", "1", -0.1) == "0");
}

TEST_CASE("integers are rounded, with all their digits") {
  CHECK(range_value(Sampling::integer, "1", "12345678", 1234567.4) == "1234567");
  CHECK(range_value(Sampling::log_integer, "1", "12345678", 1234567.6) == "1234568");
  CHECK(range_value(Sampling::integer, "-3", "5", 5.5) == "5");
  CHECK(range_value(Sampling::integer, "-3", "5", -3.5) == "-3");
}

TEST_CASE("numbers of ranges are read as they are written") {
  CHECK(range_number("1e-05") == 1e-5);
  CHECK(range_number("-12") == -12);
}
