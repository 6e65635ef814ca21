// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace sheaf {

enum class MetricKind : std::uint8_t;  // study/metrics.hpp

/// The value of a metric; NaN if it is not defined.
struct MetricValue {
  MetricKind metric{};
  double value = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace sheaf
