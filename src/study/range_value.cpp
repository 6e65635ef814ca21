// SPDX-License-Identifier: MIT
#include "study/range_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace sheaf {

double range_number(const std::string& text) {
  double value = 0;
  [[maybe_unused]] const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  assert(read.ec == std::errc{} && read.ptr == text.data() + text.size());
  return value;
}

std::string range_value(Sampling sampling, const std::string& low, const std::string& high, double value) {
  assert(sampling != Sampling::list);
  const double least = range_number(low), most = range_number(high);
  if (draws_integers(sampling))
    return fmt::format("{}", static_cast<std::int64_t>(std::clamp(std::round(value), least, most)));
  const double short_value = range_number(fmt::format("{:.6g}", value));  // may be outside the range
  if (short_value <= least) return low;
  if (short_value >= most) return high;
  return fmt::format("{}", short_value);
}

}  // namespace sheaf
