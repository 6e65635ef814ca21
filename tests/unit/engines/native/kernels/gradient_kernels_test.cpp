// Compares the functions of gradients on every instruction set of this processor with simple loops.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/native/kernels/kernels.hpp"
#include "kernel_arrays.hpp"
#include "support/every_target.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

template <class Value>
void check_norm() {
  for (const std::int64_t count : {16, 32, 80, 1024}) {
    Guarded<Value> gradient(normals<Value>(count, 3));
    double squares = 0;
    for (const Value value : gradient.values()) squares += double{value} * double{value};
    CHECK(gradient_kernels<Value>().norm(gradient.data(), count) == Approx(std::sqrt(squares)).epsilon(1e-14));
  }
  Guarded<Value> large(std::vector<Value>(16, Value{1e30f}));  // its squares are no float
  CHECK(gradient_kernels<Value>().norm(large.data(), 16) == Approx(4e30).epsilon(1e-6));
}

template <class Value>
void check_changes() {
  const Value nan = std::numeric_limits<Value>::quiet_NaN(), infinity = std::numeric_limits<Value>::infinity();
  std::vector<Value> values = normals<Value>(80, 4);
  values[5] = 0.5;
  values[6] = infinity;
  values[7] = -infinity;
  Guarded<Value> scaled(values), clamped(values);
  clamped.data()[9] = nan;
  gradient_kernels<Value>().scale(Value{0.375}, 80, scaled.data());
  gradient_kernels<Value>().clamp(Value{0.5}, 80, clamped.data());
  for (std::size_t index = 0; index < values.size(); ++index) {
    CHECK(scaled.values()[index] == Value{0.375} * values[index]);
    if (index != 9) CHECK(clamped.values()[index] == std::clamp(values[index], Value{-0.5}, Value{0.5}));
  }
  CHECK(std::isnan(clamped[9]));
  CHECK((scaled.intact() && clamped.intact()));
}

}  // namespace

TEST_CASE("norms of gradients, and scaled and clamped gradients, equal their definitions") {
  on_every_target([] {
    check_norm<float>();
    check_norm<double>();
    check_changes<float>();
    check_changes<double>();
  });
}
