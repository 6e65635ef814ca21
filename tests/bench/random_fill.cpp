// Measures random values, drawn one by one and as arrays, on each instruction set of this processor. See README.md.
// SPDX-License-Identifier: MIT
#include "core/random/random_fill.hpp"

#include <hwy/highway.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/random/random_stream.hpp"

using namespace sheaf;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t count = 4096;  // fits into the first-level cache

// Nanoseconds per value, the best of five measurements that call fill(index) for a fifth of `seconds` each.
template <class Fill>
double nanoseconds(double seconds, const Fill& fill) {
  double best = 0;
  std::uint64_t index = 0;
  for (int measurement = 0; measurement < 5; ++measurement) {
    std::int64_t calls = 0;
    double spent = 0;
    for (const auto start = Clock::now(); spent < seconds / 5; ++calls) {
      fill(index++);
      spent = std::chrono::duration<double>(Clock::now() - start).count();
    }
    const double found = 1e9 * spent / static_cast<double>(calls * count);
    if (measurement == 0 || found < best) best = found;
  }
  return best;
}

void measure(double seconds) {
  std::vector<float> values(count);
  std::vector<std::uint32_t> integers(count);
  const auto place = [](std::uint64_t index) { return StreamPlace{7, Purpose::synthetic_features, index}; };
  const double one_by_one = nanoseconds(seconds, [&](std::uint64_t index) {
    RandomStream stream(7, Purpose::synthetic_features, index);
    for (float& value : values) value = static_cast<float>(stream.normal());
  });
  std::printf("RandomStream::normal  %6.3f ns per value\n", one_by_one);
  std::printf("%-8s %10s %12s %10s %11s   ns per value; last column: normals one by one / fill_normal\n", "",
              "fill_bits", "fill_uniform", "fill_mask", "fill_normal");
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    const double bits = nanoseconds(seconds, [&](auto index) { fill_bits(place(index), integers.data(), count); });
    const double uniform = nanoseconds(seconds, [&](auto index) { fill_uniform(place(index), values.data(), count); });
    const double mask = nanoseconds(seconds, [&](auto index) { fill_mask(place(index), 1, values.data(), count); });
    const double normal = nanoseconds(seconds, [&](auto index) { fill_normal(place(index), values.data(), count); });
    std::printf("%-8s %10.3f %12.3f %10.3f %11.3f %6.1f\n", hwy::TargetName(target), bits, uniform, mask, normal,
                one_by_one / normal);
    hwy::SetSupportedTargetsForTest(0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  measure(argc > 1 ? std::atof(argv[1]) : 1.0);
  return 0;
}
