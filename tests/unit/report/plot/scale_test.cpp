// SPDX-License-Identifier: MIT
#include "report/plot/scale.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Labels = std::vector<std::string>;

Labels labels_of(ScaleKind kind, double low, double high, int wanted) {
  return tick_labels(ticks_of(kind, low, high, wanted));
}

}  // namespace

TEST_CASE("linear ticks are multiples of 1, 2 or 5 times a power of ten, with labels of the same form") {
  CHECK(labels_of(ScaleKind::linear, 0, 1, 5) == Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(labels_of(ScaleKind::linear, -3, 12, 4) == Labels{"0", "5", "10"});
  CHECK(labels_of(ScaleKind::linear, 0.9701, 0.9749, 4) == Labels{"0.972", "0.974"});
  CHECK(labels_of(ScaleKind::linear, 0, 4e7, 4) == Labels{"0", "1e7", "2e7", "3e7", "4e7"});
  CHECK(labels_of(ScaleKind::linear, 1e-7, 3e-7, 3) == Labels{"1e-7", "2e-7", "3e-7"});
}

TEST_CASE("logarithmic ticks are powers of ten, every second or third one on a wide axis, and more on a narrow one") {
  CHECK(labels_of(ScaleKind::logarithmic, 1e-4, 0.1, 6) == Labels{"0.0001", "0.001", "0.01", "0.1"});
  CHECK(labels_of(ScaleKind::logarithmic, 1e-9, 1e9, 6) == Labels{"1e-9", "1e-6", "0.001", "1", "1000", "1e6", "1e9"});
  CHECK(labels_of(ScaleKind::logarithmic, 3, 70, 6) == Labels{"5", "10", "20", "50"});
  CHECK(labels_of(ScaleKind::logarithmic, 11, 14, 4) == Labels{"11", "12", "13", "14"});
}

TEST_CASE("there are ticks for any range") {
  for (const double low : {-1e300, -5.0, 0.0, 1e-300, 7.0})
    for (const double high : {low, low + 1e-12, low + 3, 1e300}) {
      CHECK(ticks_of(ScaleKind::linear, low, high, 6).size() < 20);
      CHECK(!ticks_of(ScaleKind::linear, low, high, 6).empty());
      if (low > 0) CHECK(ticks_of(ScaleKind::logarithmic, low, high, 6).size() < 20);
    }
}

TEST_CASE("a scale maps its ends to its ends") {
  const Scale linear{ScaleKind::linear, 2, 4, 100, 0};
  CHECK(linear.at(2) == 100);
  CHECK(linear.at(3) == 50);
  CHECK(linear.at(5) == -50);
  const Scale logarithmic{ScaleKind::logarithmic, 0.01, 100, 0, 8};
  CHECK(logarithmic.at(0.1) == Approx(2));
  CHECK(Scale{ScaleKind::linear, 3, 3, 0, 10}.at(3) == 5);
}

TEST_CASE("the range of an axis has all finite values, and some space around them") {
  const double infinite = std::numeric_limits<double>::infinity();
  const AxisRange linear = range_of({1, std::nan(""), 5, infinite, 2}, ScaleKind::linear);
  CHECK(linear.low < 1);
  CHECK(linear.low > 0.5);
  CHECK(linear.high > 5);
  const AxisRange logarithmic = range_of({-1, 0, 0.1, 10}, ScaleKind::logarithmic);
  CHECK(logarithmic.low > 0.05);
  CHECK(logarithmic.low < 0.1);
  CHECK(range_of({3, 3}, ScaleKind::linear).low < 3);
  CHECK(range_of({}, ScaleKind::linear).high == 1);
  CHECK(range_of({-2}, ScaleKind::logarithmic).low == 1);
}

TEST_CASE("short numbers") {
  CHECK(short_number(0.012346) == "0.01235");
  CHECK(short_number(1e-5) == "1e-5");
  CHECK(short_number(12345) == "12345");
  CHECK(short_number(2e6) == "2e6");
  CHECK(short_number(1234567, 3) == "1.23e6");
  CHECK(short_number(std::nan("")) == "");
}
