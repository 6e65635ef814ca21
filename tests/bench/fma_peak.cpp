// SPDX-License-Identifier: MIT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/fma_peak.cpp"  // compiled once for each instruction set
#include <hwy/foreach_target.h>
// Must come after foreach_target.h.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "bench/fma_peak.hpp"
#include "core/clock.hpp"

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Ten independent sums: enough to hide the latency, and few enough for the registers. Returns the number of operations.
double multiply_add(double operations) {
  const hn::ScalableTag<float> d;
  const double operations_per_round = 2.0 * 10 * static_cast<double>(hn::Lanes(d));
  const auto rounds = static_cast<std::int64_t>(operations / operations_per_round);
  const auto factor = hn::Set(d, 0.999f), term = hn::Set(d, 1e-3f);
  const auto start_at = [d](float value) { return hn::Set(d, value); };  // the compiler would merge equal sums
  auto s0 = start_at(1.0f), s1 = start_at(1.1f), s2 = start_at(1.2f), s3 = start_at(1.3f), s4 = start_at(1.4f);
  auto s5 = start_at(1.5f), s6 = start_at(1.6f), s7 = start_at(1.7f), s8 = start_at(1.8f), s9 = start_at(1.9f);
  for (std::int64_t round = 0; round < rounds; ++round) {
    s0 = hn::MulAdd(s0, factor, term);
    s1 = hn::MulAdd(s1, factor, term);
    s2 = hn::MulAdd(s2, factor, term);
    s3 = hn::MulAdd(s3, factor, term);
    s4 = hn::MulAdd(s4, factor, term);
    s5 = hn::MulAdd(s5, factor, term);
    s6 = hn::MulAdd(s6, factor, term);
    s7 = hn::MulAdd(s7, factor, term);
    s8 = hn::MulAdd(s8, factor, term);
    s9 = hn::MulAdd(s9, factor, term);
  }
  const auto total = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                             hn::Add(hn::Add(s4, s5), hn::Add(hn::Add(s6, s7), hn::Add(s8, s9))));
  const bool used = hn::GetLane(total) > 0;  // prevents removal of the sums by the compiler
  return used ? operations_per_round * static_cast<double>(rounds) : 0;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {

HWY_EXPORT(multiply_add);

double multiply_add(double operations) {
  return HWY_DYNAMIC_DISPATCH(multiply_add)(operations);
}

double measure_fma_peak(double seconds) {
  double best = 0;
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    const auto begin = Clock::now();
    const double operations = multiply_add(3e6);
    best = std::max(best, operations / seconds_since(begin));
  }
  return best;
}

}  // namespace sheaf
#endif
